import type { LookupScope } from '../../../control-plane/driver.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { collectionPath } from '../collections.ts'
import type { Host } from '../context.ts'
import { planeSelector, RECORD_TYPE } from '../object-names.ts'
import { unlessRefused } from '../preflight/unless-refused.ts'
import { storedRecordOf, type StoredRecord } from './record-store.ts'

export interface RecordScope extends LookupScope {
  /** @default planes of every name */
  name?: string
}

/**
 * The records that the user may see: of one namespace when the scope names it, otherwise of all, or of the host
 * context's own where that is not allowed.
 *
 * @throws {VplaneError} what the host says when none may be seen, or it cannot be reached.
 */
export async function listRecords(
  { api, namespace: own }: Pick<Host, 'api' | 'namespace'>,
  { isBlindFine = false, name, namespace, signal, ui }: RecordScope,
): Promise<StoredRecord[]> {
  const options = {
    labelSelector: name === undefined ? planeSelector() : planeSelector(name),
    fieldSelector: `type=${RECORD_TYPE}`,
    ...(signal === undefined ? {} : { signal }),
  }
  const list = async (place?: string) =>
    (await api.list(collectionPath('secrets', place), options)).items.flatMap(
      (secret) => storedRecordOf(secret) ?? [],
    )
  const listOne = async (place: string) => {
    const records = list(place)
    return isBlindFine ? ((await unlessRefused(records)) ?? []) : records
  }
  if (namespace !== undefined) {
    return listOne(namespace)
  }
  try {
    return await list()
  } catch (error) {
    if (httpStatusOf(error) !== 403) {
      throw error
    }
  }
  const records = await listOne(own)
  ui?.note(`Only namespace "${own}" was looked at: --namespace names another one.`)
  return records
}
