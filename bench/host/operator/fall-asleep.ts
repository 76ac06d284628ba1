import type { PlaneRecord } from '../../../src/drivers/kubernetes/record/plane-record.ts'
import {
  readRecord,
  replaceRecord,
  toReadable,
} from '../../../src/drivers/kubernetes/record/record-store.ts'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import { objectPath } from '../../../src/shared/kube/collections.ts'

/**
 * Makes declared planes that were never started planes that have paused themselves, without their volumes: to start each of a
 * thousand takes hours. Their operator must not run meanwhile.
 */
export async function fallAsleep(
  client: KubeClient,
  { names, namespace }: { names: readonly string[]; namespace: string },
  signal: AbortSignal,
): Promise<void> {
  for (const name of names) {
    const place = { name, namespace }
    const found = await readRecord(client, place, { signal })
    if (found === undefined) {
      throw new Error(`"${name}" has no record`)
    }
    const stored = toReadable(found)
    await replaceRecord(client, stored, { record: asleep(stored.record, new Date()), signal })
    const body = { spec: { paused: null } }
    await client.patch(objectPath('controlplanes', place), body, { type: 'merge', signal })
  }
}

/** The record of a plane that has paused itself. */
export function asleep(record: PlaneRecord, since: Date): PlaneRecord {
  return { ...record, hasData: true, idleSince: since.toISOString(), neverStarted: undefined }
}
