import type { Finding } from '../../../control-plane/status/finding.ts'
import { ownNamespaceOf } from '../../../control-plane/plane/names.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { isMissing } from '../host/unless-refused.ts'
import type { PlacedName } from '../context/object-names.ts'
import { titleOf } from '../namespace/leftovers.ts'
import { namespaceContents } from '../namespace/namespace-contents.ts'
import { someOf } from '../../../shared/text/some-of.ts'
import { listRecords } from '../record/list-records.ts'
import { isReadableRecord, type StoredRecord } from '../record/record-store.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { PreflightApi } from './in-turns.ts'
import { objectPath } from '../../../shared/kube/collections.ts'

/** Kinds that only govern a namespace, as its administrator prepares it: they contain nothing secret. */
const FRAME = [
  'LimitRange',
  'NetworkPolicy',
  'ResourceQuota',
  'Role',
  'RoleBinding',
  'ServiceAccount',
]

/** Objects of vplane declare planes and what they may be. */
function isFrame({ apiVersion, kind }: KubeObject): boolean {
  const [group = ''] = apiVersion.split('/')
  return FRAME.includes(kind) || group === 'vplane.dev' || group.endsWith('.vplane.dev')
}

interface Options extends PlacedName {
  spec: Pick<PlaneSpec, 'host'>
  signal: AbortSignal
}

/** RBAC does not know labels: a syncer may read every Secret. Skips what users may not list. */
export async function sharingFindings(
  api: PreflightApi,
  { name, namespace, signal, spec }: Options,
): Promise<Finding[]> {
  const records = await listRecords(
    { api, namespace },
    { namespace, ignoresForbidden: true, signal },
  )
  const others = records.filter((record) => record.name !== name)
  return spec.host?.sync === undefined
    ? others
        .filter(runsPods)
        .slice(0, 1)
        .map((other) => readerFinding(other, name))
    : contentFindings(api, { name, namespace, others: others.map((other) => other.name), signal })
}

function runsPods(stored: StoredRecord): boolean {
  return isReadableRecord(stored) && stored.record.spec.host?.sync !== undefined
}

function readerFinding(other: StoredRecord, name: string): Finding {
  return {
    subject: 'namespace',
    level: 'problem',
    message: `the plane "${other.name}" in "${other.namespace}" runs pods: its syncer can read every Secret there, also those of "${name}"`,
    hint: [
      { purpose: 'another namespace', namespace: ownNamespaceOf(name) },
      { purpose: 'or to share it', shareNamespace: true },
    ],
  }
}

async function contentFindings(
  api: PreflightApi,
  options: PlacedName & { others: readonly string[]; signal: AbortSignal },
): Promise<Finding[]> {
  const { name, namespace, others, signal } = options
  const planes = [name, ...others]
  const contents = (await isMissing(api, objectPath('namespaces', { name: namespace }), signal))
    ? []
    : await namespaceContents(api, { namespace, planes, ignoresForbidden: true, signal })
  const found = [
    ...others.map((other) => `plane "${other}"`),
    ...contents.filter((object) => !isFrame(object)).map(titleOf),
  ]
  const own = ownNamespaceOf(name)
  const another = namespace === own ? 'NAMESPACE' : own
  const message = `"${namespace}" has objects that are not of "${name}", and a syncer can read every Secret of its namespace: ${someOf(found)}`
  const hint = [
    { purpose: 'another namespace', namespace: another },
    { purpose: 'or to share it', shareNamespace: true },
  ]
  return found.length === 0 ? [] : [{ subject: 'namespace', level: 'problem', message, hint }]
}
