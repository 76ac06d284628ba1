import type { Plane } from '../../../control-plane/plane/plane.ts'
import type { PlacedName } from './object-names.ts'

/** Where a plane is, and which one it is. */
export function toPlace({
  id = '',
  name,
  namespace = '',
}: Pick<Plane, 'name' | 'namespace'> & { id?: string }): {
  id: string
  place: PlacedName
} {
  return { id, place: { name, namespace } }
}
