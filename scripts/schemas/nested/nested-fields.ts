import type { Json } from '../../../src/shared/json-fields.ts'
import { count } from './nested-crd.ts'

/** The column of `kubectl get` for `status.ready`. */
export const READY_COLUMN = { name: 'Ready', type: 'boolean', jsonPath: '.status.ready' }

/** The field with the number of members of etcd: two members tolerate no more failures than one. */
export function members(): Json {
  return { ...count('Number of members: 1, 3 or 5.'), enum: [1, 3, 5], default: 1 }
}

/** The field with the number of pods of a component. */
export function pods(component: string): Json {
  return { ...count(`Number of pods of ${component}.`), minimum: 1, maximum: 9, default: 1 }
}
