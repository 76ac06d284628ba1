import type { Plane } from '../plane/plane.ts'
import type { Operation } from './operation.ts'

/** The plane that programs are needed for, and what it is about to do. */
export interface WantedTools extends Pick<Plane, 'spec' | 'binDir'> {
  /** Whether its data is about to be replaced with a snapshot. @default false */
  forRestore?: boolean
}

/** The programs on this machine that the planes of a driver need. */
export interface PlaneTools {
  /**
   * Gets the programs that are missing. Use cases call it before they create or stop anything.
   *
   * @throws {VplaneError} `FAILED` with the names of programs that cannot be got.
   */
  ensure(wanted: WantedTools, operation: Operation): Promise<void>
}
