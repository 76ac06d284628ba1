import type { Operation } from '../../../../control-plane/driver/operation.ts'
import type { SyncSpec } from '../../../../control-plane/spec/fields/host-spec.ts'
import type { PlaneSpec } from '../../../../control-plane/spec/spec.ts'
import {
  extraRules,
  metricsRules,
  type PolicyRule,
} from '../../../../manifests/values/syncer-rules.ts'
import type { HostApi } from '../../host/host-api.ts'
import type { PlacedName } from '../../context/object-names.ts'
import { missingRights } from './allowed-rights.ts'
import type { Right } from './needed-rights.ts'

type Field = keyof Pick<SyncSpec, 'extraRights' | 'metrics'>

/** Rights in separate Roles, which the ClusterRole `admin` of Kubernetes may not have. */
const RIGHTS: Record<Field, { rules: (sync: SyncSpec) => PolicyRule[]; use: string }> = {
  extraRights: {
    rules: extraRules,
    use: 'kubectl debug, resizing running pods, your own EndpointSlices',
  },
  metrics: {
    rules: metricsRules,
    use: 'kubectl top and horizontal autoscaling',
  },
}

/**
 * Decides the syncer's extra rights that the spec leaves open: a user can only grant rights that they have
 * (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping).
 */
export async function withExtraRights(
  api: Pick<HostApi, 'create'>,
  { place, spec }: { place: PlacedName; spec: PlaneSpec },
  { signal, ui }: { signal: AbortSignal; ui: Pick<Operation['ui'], 'warn'> },
): Promise<PlaneSpec> {
  const sync = spec.host?.sync
  const open = (['extraRights', 'metrics'] as const).filter((field) => sync?.[field] === undefined)
  if (spec.host === undefined || sync === undefined || open.length === 0) {
    return spec
  }
  const { namespace } = place
  const wanted = open.map((field) => ({
    field,
    rights: RIGHTS[field].rules(sync).flatMap(rightsIn),
  }))
  const all = wanted.flatMap(({ rights }) => rights)
  const missing = await missingRights(api, all, { namespace, signal })
  const refused = wanted
    .filter(({ rights }) => rights.some((one) => missing.includes(one)))
    .map(({ field }) => field)
  if (refused.length > 0) {
    const uses = refused.map((field) => RIGHTS[field].use).join(', ')
    ui.warn(
      `You may not grant all rights that its syncer can use in namespace "${namespace}": ${uses} will not work in the plane.`,
    )
  }
  const decided = Object.fromEntries(open.map((field) => [field, !refused.includes(field)]))
  return { ...spec, host: { ...spec.host, sync: { ...sync, ...decided } } }
}

function rightsIn({ apiGroups, resources, verbs }: PolicyRule): Right[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({ verb, group, resource, isVital: false })),
    ),
  )
}
