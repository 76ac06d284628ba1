import type { PlaneReference } from '../../control-plane/plane/plane.ts'

export interface PlaceResult {
  driver: string
  namespace: string | null
  hostContext: string | null
}

/** Where a plane is, as `--json` shows it. */
export function toPlaceResult({ driver, hostContext, namespace }: PlaneReference): PlaceResult {
  return { driver, namespace: namespace ?? null, hostContext: hostContext ?? null }
}
