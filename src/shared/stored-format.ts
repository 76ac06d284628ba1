import { messageOf, VplaneError } from './errors.ts'
import { packageVersion } from './package-root.ts'
import { fieldAt } from './json-fields.ts'

/** The source of a stored text, for errors, and the newest format that this vplane can read. */
interface StoredFormat {
  source: string
  formatVersion: number
}

export type FieldTypes = Readonly<Record<string, 'string' | 'number' | 'boolean' | 'object'>>

/** Parses stored JSON. @throws {VplaneError} `FAILED` when it is not JSON, not valid, or has a newer format. */
export function parseStored<Value>(
  text: string,
  format: StoredFormat,
  isValid: (value: unknown) => value is Value,
): Value {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new VplaneError('FAILED', `${format.source} is damaged: ${messageOf(error)}`, {
      cause: error,
    })
  }
  refuseNewer(value, format)
  if (!isValid(value)) {
    const reason = 'fields are missing or of the wrong type'
    throw new VplaneError('FAILED', `${format.source} is damaged: ${reason}`)
  }
  return value
}

/** Parses JSON that can be made again; undefined if damaged. @throws {VplaneError} `FAILED` for a newer format. */
export function parseNotes(text: string, format: StoredFormat): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  refuseNewer(value, format)
  return value
}

/** An older vplane would lose fields. @throws {VplaneError} `FAILED` with the required version for a newer format. */
export function refuseNewer(value: unknown, { formatVersion, source }: StoredFormat): void {
  const written = fieldAt(value, 'formatVersion')
  if (typeof written === 'number' && written > formatVersion) {
    const writtenBy = fieldAt(value, 'writtenBy')
    const writer = typeof writtenBy === 'string' ? writtenBy : 'unknown'
    const message = `${source} was written in a newer format: vplane ${writer} or later is needed`
    throw new VplaneError('FAILED', message, { hints: [`npm install --global vplane@${writer}`] })
  }
}

/** The vplane that wrote a record, and the vplane that created what it describes. */
interface Stamp {
  formatVersion: number
  writtenBy: string
  madeBy?: string
}

/** The stamp of this vplane on a record, which keeps the version that created what it describes. */
export function stampOf(
  { madeBy, writtenBy }: Pick<Stamp, 'writtenBy' | 'madeBy'>,
  formatVersion: number,
): Stamp {
  const writer = packageVersion()
  const creator = madeBy ?? writtenBy
  const isOther = creator !== '' && creator !== writer
  return { formatVersion, writtenBy: writer, ...(isOther ? { madeBy: creator } : {}) }
}

/** Whether a value has fields of these types, none of them null. */
export function hasFields(value: unknown, fields: FieldTypes): boolean {
  return Object.entries(fields).every(([name, type]) => {
    const field = fieldAt(value, name)
    return typeof field === type && field !== null
  })
}

/** Whether fields of a value are missing or of this type. */
export function hasOptional(
  value: unknown,
  type: FieldTypes[string],
  names: readonly string[],
): boolean {
  return names.every((name) => [type, 'undefined'].includes(typeof fieldAt(value, name)))
}

/** Whether a stored value is a time. */
export function isDate(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
