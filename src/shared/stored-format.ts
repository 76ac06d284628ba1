import { messageOf, VplaneError } from './errors.ts'
import { packageVersion } from './package-root.ts'
import { fieldAt } from './json-fields.ts'

/** Where stored text is from, for errors, and the newest format that this vplane reads there. */
export interface StoredFormat {
  source: string
  formatVersion: number
}

/** The types that fields must have. */
export type FieldTypes = Readonly<Record<string, 'string' | 'number' | 'boolean' | 'object'>>

/**
 * The value of stored JSON, in a format that this vplane knows.
 *
 * @throws {VplaneError} `FAILED` when it is no JSON, or of a newer format.
 */
export function parseStored(text: string, format: StoredFormat): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new VplaneError('FAILED', `${format.source} is damaged: ${messageOf(error)}`, {
      cause: error,
    })
  }
  refuseNewer(value, format)
  return value
}

/**
 * The value of stored JSON that can be found out anew, in a format that this vplane knows; undefined when it is damaged,
 * cut off or edited by somebody.
 *
 * @throws {VplaneError} `FAILED` when it is of a newer format.
 */
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

/**
 * Refuses what a newer vplane wrote, of which an older one would lose half.
 *
 * @throws {VplaneError} `FAILED` that names the vplane that is needed.
 */
export function refuseNewer(value: unknown, { formatVersion, source }: StoredFormat): void {
  const written = fieldAt(value, 'formatVersion')
  if (typeof written === 'number' && written > formatVersion) {
    const writtenBy = fieldAt(value, 'writtenBy')
    const writer = typeof writtenBy === 'string' ? writtenBy : 'unknown'
    throw new VplaneError(
      'FAILED',
      `${source} was written in a newer format: vplane ${writer} or later is needed`,
      { hints: [`npm install --global vplane@${writer}`] },
    )
  }
}

/** Who writes something down, and whose work it is about. */
export interface Stamp {
  formatVersion: number
  writtenBy: string
  madeBy?: string
}

/** This vplane as the writer of what another one may have made. */
export function stampOf(
  { madeBy, writtenBy }: Pick<Stamp, 'writtenBy' | 'madeBy'>,
  formatVersion: number,
): Stamp {
  const writer = packageVersion()
  const maker = madeBy ?? writtenBy
  const isOther = maker !== '' && maker !== writer
  return { formatVersion, writtenBy: writer, ...(isOther ? { madeBy: maker } : {}) }
}

/** The error for stored JSON that is not what it should be. */
export function damaged({ source }: Pick<StoredFormat, 'source'>): VplaneError {
  return new VplaneError('FAILED', `${source} is damaged: fields are missing or of the wrong type`)
}

/** Whether a value has fields of these types, none of them null. */
export function hasFields(value: unknown, fields: FieldTypes): boolean {
  return Object.entries(fields).every(([name, type]) => {
    const field = fieldAt(value, name)
    return typeof field === type && field !== null
  })
}
