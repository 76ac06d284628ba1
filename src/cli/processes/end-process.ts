import type { Writable } from 'node:stream'

/** Exits when all output is written. Open handles, such as idle connections, do not keep the process alive. */
export async function endProcess(status: number): Promise<never> {
  await flush(process.stdout)
  process.exit(status)
}

function flush(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve())
  })
}
