import { cpus, loadavg, release, totalmem, type } from 'node:os'
import type { Workspace } from './workspace.ts'

/** What figures depend on. */
export interface Machine {
  cores: number
  processor: string
  memoryGiB: number
  kernel: string
  /** Of the last minute, when the run began: other work on the machine. */
  load: number
  versions: Record<string, string>
}

/** What is known of this machine and of the programs that are measured. */
export async function machineFacts(workspace: Workspace): Promise<Machine> {
  const processors = cpus()
  const [load = 0] = loadavg()
  const versions = await Promise.all(
    workspace.components.map(async (name) => {
      const { stdout } = await workspace.run([workspace.binaries[name], '--version'])
      return [name, (stdout.split('\n')[0] ?? '').replace(/^.*[: ]v?(?=\d)/, '')] as const
    }),
  )
  const { stdout } = await workspace.vplane('--version')
  return {
    cores: processors.length,
    processor: processors[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    kernel: `${type()} ${release()}`,
    load: Math.round(load * 100) / 100,
    versions: {
      vplane: stdout.trim(),
      node: process.versions.node,
      ...Object.fromEntries(versions),
    },
  }
}
