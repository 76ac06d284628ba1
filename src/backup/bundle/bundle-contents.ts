import { isPodVolumes, isServiceAddresses } from '../../control-plane/driver/plane-pods.ts'
import type { PlaneBundle } from '../../control-plane/driver/snapshot.ts'
import { type FieldTypes, hasFields, parseStored } from '../../shared/stored-format.ts'
import { splitLines } from '../streams/split-lines.ts'
import { fieldAt } from '../../shared/json-fields.ts'

/** The contents of a bundle before it is sealed: a line of JSON that describes the plane, and the snapshot. */
export async function* bundleContents(
  bundle: PlaneBundle,
  snapshot: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, void> {
  yield Buffer.from(`${JSON.stringify(bundle)}\n`)
  yield* snapshot
}

const FIELDS: FieldTypes = { name: 'string', userSpec: 'object', spec: 'object', keys: 'object' }
const SPEC_FIELDS: FieldTypes = { version: 'string', etcdVersion: 'string', serviceRange: 'string' }

/** Splits unsealed contents. @throws {VplaneError} `FAILED` when they are not those of a bundle. */
export async function splitBundle(
  contents: AsyncIterable<Buffer>,
  source: string,
): Promise<{ bundle: PlaneBundle; snapshot: AsyncGenerator<Buffer, void, void> }> {
  const { lines, rest } = await splitLines(contents, 1)
  const bundle = parseStored(lines[0] ?? '', { source, formatVersion: 0 }, isBundle)
  return { bundle, snapshot: rest }
}

function isBundle(value: unknown): value is PlaneBundle {
  const [volumes, addresses] = [fieldAt(value, 'volumes'), fieldAt(value, 'addresses')]
  return (
    hasFields(value, FIELDS) &&
    hasFields(fieldAt(value, 'spec'), SPEC_FIELDS) &&
    (volumes === undefined || isPodVolumes(volumes)) &&
    (addresses === undefined || isServiceAddresses(addresses))
  )
}
