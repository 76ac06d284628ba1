import { quantityValue } from '../../control-plane/spec/fields/quantity.ts'

/** What Go's runtime may use of the limit: the rest is for what it does not count, such as mapped files. */
const PART_OF_LIMIT = 0.9

/** GOMEMLIMIT for a container with this memory limit; `off` without one. */
export function goMemoryLimit(limit: string | undefined): string {
  const bytes = quantityValue(limit ?? '')
  return bytes === undefined ? 'off' : `${Math.floor((bytes * PART_OF_LIMIT) / 2 ** 20)}MiB`
}
