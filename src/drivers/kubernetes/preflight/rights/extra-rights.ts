import type { CreateRequest } from '../../../../control-plane/driver/requests.ts'
import type { Operation } from '../../../../control-plane/driver/operation.ts'
import type { SyncSpec } from '../../../../control-plane/spec/fields/host-spec.ts'
import type { HostApi } from '../../host/host-api.ts'
import type { PlacedName } from '../../context/object-names.ts'
import { missingRights } from './allowed-rights.ts'
import type { Right } from './needed-rights.ts'

type Field = keyof Pick<SyncSpec, 'extraRights' | 'metrics'>

/** Rights in separate Roles, which the ClusterRole `admin` of Kubernetes may not have. */
const RIGHTS: Record<Field, { rights: readonly Right[]; use: string }> = {
  // templates/syncer/extra-role.yaml
  extraRights: {
    rights: [
      ...['create', 'update', 'delete'].map((verb) =>
        right(verb, 'discovery.k8s.io', 'endpointslices'),
      ),
      right('patch', '', 'pods/ephemeralcontainers'),
      right('patch', '', 'pods/resize'),
    ],
    use: 'kubectl debug, resizing running pods, your own EndpointSlices',
  },
  // templates/syncer/metrics-role.yaml
  metrics: {
    rights: [right('list', 'metrics.k8s.io', 'pods')],
    use: 'kubectl top and horizontal autoscaling',
  },
}

/**
 * Decides the syncer's extra rights that the request leaves open: a user can only grant rights that they have
 * (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping).
 */
export async function withExtraRights(
  api: Pick<HostApi, 'create'>,
  { place, request }: { place: PlacedName; request: CreateRequest },
  { signal, ui }: Pick<Operation, 'signal' | 'ui'>,
): Promise<CreateRequest> {
  const { spec } = request
  const sync = spec.host?.sync
  const open = (['extraRights', 'metrics'] as const).filter((field) => sync?.[field] === undefined)
  if (spec.host === undefined || sync === undefined || open.length === 0) {
    return request
  }
  const { namespace } = place
  const wanted = open.flatMap((field) => RIGHTS[field].rights)
  const missing = await missingRights(api, wanted, { namespace, signal })
  const refused = open.filter((field) => RIGHTS[field].rights.some((one) => missing.includes(one)))
  if (refused.length > 0) {
    const uses = refused.map((field) => RIGHTS[field].use).join(', ')
    ui.warn(
      `You may not grant all rights that its syncer can use in namespace "${namespace}": ${uses} will not work in the plane.`,
    )
  }
  const decided = Object.fromEntries(open.map((field) => [field, !refused.includes(field)]))
  return { ...request, spec: { ...spec, host: { ...spec.host, sync: { ...sync, ...decided } } } }
}

function right(verb: string, group: string, resource: string): Right {
  return { verb, group, resource, isVital: false }
}
