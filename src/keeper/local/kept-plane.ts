import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'

/** A plane that a keeper looks after, and what it is to do for it. */
export interface KeptPlane extends PlaneReference {
  id: string
  spec: Pick<PlaneSpec, 'backup' | 'idle'>
}
