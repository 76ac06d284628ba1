import type { HostLab } from './host/host-lab.ts'
import type { Workspace } from './workspace.ts'

/** What a figure is measured with. */
export interface Bench {
  workspace: Workspace
  /** How often something that takes seconds is measured. */
  rounds: number
  /** How often something that takes milliseconds is measured. */
  shortRounds: number
  /** How many planes `scale` measures, the fewest first. */
  planes: readonly number[]
  /** How long `scale` watches the most planes at rest. */
  minutes: number
  /** Says on stderr how far it is. */
  say: (text: string) => void
  /** The host cluster of this run, started when it is first asked for; undefined where there can be none. */
  host: () => Promise<HostLab | undefined>
}

export type Unit = 'ms' | 'MiB' | 'KiB' | 'x' | 'requests' | 'writes' | 'operations' | 'left'

/** One figure of the table: a median, or a sum, what it is compared with, and what it must not exceed. */
export interface Result {
  name: string
  /** What is measured, as it reads in the table. */
  what: string
  /** Median of what vplane does; the sum of all rounds where nothing may happen at all. */
  median: number
  unit: Unit
  /** What it is compared with, measured in the same run by turns. */
  reference?: { what: string; median: number }
  /** What is held against target and goal. */
  compared: { as: 'ratio' | 'difference' | 'value'; value: number; unit: Unit }
  target?: number
  goal?: number
  /** Every sample, by what it is a sample of. */
  samples: Record<string, readonly number[]>
  /** What one has to know to read it. */
  notes?: readonly string[]
}

export interface Figure {
  name: string
  /** It takes so long that it is measured only when it is named. @default false */
  isOnDemand?: boolean
  /** Measures it, and leaves nothing behind. */
  measure(bench: Bench): Promise<Result[]>
}
