import type { Writable } from 'node:stream'

/** Ends the process when all that was said is out. Open handles, such as idle connections, do not keep it alive. */
export async function endProcess(status: number): Promise<never> {
  await flush(process.stdout)
  process.exit(status)
}

function flush(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve())
  })
}
