import { startControlPlane } from '../../src/library/index.ts'

// A process that owns control planes: `node owner.ts COUNT`. It writes a line when it waits for one, and a line of
// JSON with their names when all of them are ready.
const planes = await Promise.all(
  Array.from({ length: Number(process.argv[2]) }, () =>
    startControlPlane({
      timeoutMs: 300_000,
      log: (line) => {
        if (line.startsWith('Waiting for the API')) {
          process.stdout.write('waiting\n')
        }
      },
    }),
  ),
)
process.stdout.write(`${JSON.stringify(planes.map(({ name }) => name))}\n`)
setInterval(() => {}, 60_000)
