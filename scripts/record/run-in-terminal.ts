import { spawn } from 'node:child_process'

/** Something that a command wrote, and when, in milliseconds since its start. */
export interface Output {
  atMs: number
  data: string
}

export interface TerminalRun {
  outputs: Output[]
  ms: number
}

export interface TerminalOptions {
  columns: number
  environment: Record<string, string>
  folder: string
}

/**
 * Runs a command in a pseudo terminal of `script` (util-linux).
 *
 * @throws {Error} with what it wrote when it fails.
 */
export async function runInTerminal(
  command: string,
  { columns, environment, folder }: TerminalOptions,
): Promise<TerminalRun> {
  const shell = `stty cols ${columns} rows 50; ${command}`
  const startedAt = performance.now()
  // Its stdin stays open: if it is closed, script sends an end of file to the command.
  const child = spawn('script', ['-qefc', shell, '/dev/null'], {
    cwd: folder,
    env: { ...environment, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const outputs: Output[] = []
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    outputs.push({ atMs: performance.now() - startedAt, data })
  })
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (status !== 0) {
    const written = outputs.map(({ data }) => data).join('')
    throw new Error(`${command}: exit ${status}\n${written}`)
  }
  return { outputs, ms: performance.now() - startedAt }
}
