import type { Plane } from '../plane/plane.ts'
import type { Operation } from './operation.ts'

/** The plane that programs are needed for, and what it is about to do. */
export interface WantedTools extends Pick<Plane, 'spec' | 'binDir'> {
  /** Whether its data is about to be replaced with a snapshot. @default false */
  forRestore?: boolean
}

export interface PlaneTools {
  /** Gets missing programs, before anything is created or stopped. @throws {VplaneError} `FAILED` with their names. */
  ensure(wanted: WantedTools, operation: Operation): Promise<void>
}
