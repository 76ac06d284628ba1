import { textAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { CredentialSpecs } from '../spec/credentials/credentials-spec.ts'
import type { PlaneApi } from './plane-api.ts'

/** The ClusterRoleBinding of an entry in `credentials`. */
export function credentialBinding(entry: string): string {
  return `vplane:credential:${entry}`
}

/** The ClusterRole of a ClusterRoleBinding; undefined when it does not exist. */
export async function boundRole(
  api: Pick<PlaneApi, 'get'>,
  binding: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = objectPath('clusterrolebindings', { name: binding })
  return textAt(await api.get(path, { signal }), 'roleRef', 'name')
}

/** Deletes the ClusterRoleBindings of entries that left the spec. Those of changed entries are changed with their Secrets. */
export async function deleteFormerBindings(
  api: Pick<PlaneApi, 'delete'>,
  { former = {}, wanted = {} }: Record<'former' | 'wanted', CredentialSpecs | undefined>,
  signal: AbortSignal,
): Promise<void> {
  for (const [entry, { clusterRole }] of Object.entries(former)) {
    if (clusterRole !== undefined && wanted[entry] === undefined) {
      const name = credentialBinding(entry)
      await api.delete(objectPath('clusterrolebindings', { name }), { signal })
    }
  }
}
