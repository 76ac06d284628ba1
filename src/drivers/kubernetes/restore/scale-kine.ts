import { recordAt } from '../../../shared/json-fields.ts'
import type { Host } from '../context/context.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { storeObjects } from '../objects/store-objects.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { scaledTo, workloadPath } from '../observed/workloads.ts'
import type { KineDataOptions } from './kine-data.ts'

/** Gives kine of a plane its usual template, with data that must not be missing then, and scales it. */
export async function scaleKine(
  { api }: Pick<Host, 'api'>,
  {
    journal,
    operation,
    place,
    replicas,
  }: Pick<KineDataOptions, 'journal' | 'operation' | 'place'> & { replicas: number },
): Promise<void> {
  const { signal } = operation
  const files = await storedKeys(api, place, signal)
  const record = { ...journal.record, hasData: true }
  const { configuration, statefulSet } = storeObjects({ files, journal: { record }, place })
  // The scale has another manager of fields since it was changed.
  const { replicas: _count, ...spec } = recordAt(statefulSet, 'spec') ?? {}
  await applyObjects(api, [...configuration, { ...statefulSet, spec }], signal)
  await api.patch(workloadPath(place, 'kine'), scaledTo(replicas), { type: 'merge', signal })
}
