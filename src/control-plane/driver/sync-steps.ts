import type { Plane } from '../plane/plane.ts'
import type { Operation } from './operation.ts'

/**
 * What a switch of `sync` does through the API of the plane. The driver calls these while it holds the plane, so that an
 * interrupted switch does all of it again.
 */
export interface SyncSteps {
  /** Returns when the plane is prepared for its syncer, which is not applied yet. */
  prepare: (plane: Plane) => Promise<void>
  /** Called once the syncer and all pods have stopped, while the plane's controllers run: they notice that the pods are gone. */
  leave: (plane: Plane) => Promise<void>
  /** Called once no controllers of pods run: deletes what only they would end. */
  clear: (plane: Plane) => Promise<void>
}

/** An operation that may switch `sync`. */
export interface SwitchOperation extends Operation {
  /** @default it does not switch `sync` */
  steps?: SyncSteps | undefined
}
