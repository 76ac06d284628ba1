import type { OperatorSettings } from '../../../control-plane/declared/operators.ts'
import { HELPER_IMAGE } from '../../../control-plane/spec/resolve-host-spec.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import { MANAGED_BY } from '../../../manifests/object-names.ts'
import { checksumOf } from '../../../manifests/pod-files.ts'
import { OPERATOR_PORT } from '../../../manifests/ports.ts'
import { fillTemplate, type TemplateValues } from '../../../manifests/templates/fill-template.ts'
import { loadOperatorTemplates, readProgram } from '../../../manifests/templates/load-templates.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { isWholeObject } from '../../../shared/kube/kube-object.ts'
import { packageVersion } from '../../../shared/package-root.ts'
import { operatorRules } from './operator-rules.ts'

/** The name of the operator's objects, of which a namespace has one. */
export const OPERATOR = 'vplane-operator'

/** The labels of the operator's objects and pods. */
const OPERATOR_LABELS = { [MANAGED_BY]: 'vplane', 'app.kubernetes.io/name': OPERATOR }

/** Its template is for an operator of all namespaces: only that one makes NestedControlPlanes. */
const CLUSTER_API_ROLE = 'operator/cluster-api-role.yaml'

/** https://cluster-api.sigs.k8s.io/developer/providers/contracts/overview, "RBAC" */
const AGGREGATED = { 'cluster.x-k8s.io/aggregate-to-manager': 'true' }

/** Selects them. Helm replaces the other label of its objects. */
export const OPERATOR_SELECTOR = `app.kubernetes.io/name=${OPERATOR}`

/** The objects of an operator, without its CRDs. @throws {VplaneError} `FAILED` when its program was not built. */
export function operatorObjects(
  settings: OperatorSettings,
  programOf: typeof readProgram = readProgram,
): Manifest[] {
  const values = { operator: operatorValues(settings, programOf) }
  return loadOperatorTemplates()
    .filter(({ path }) => isInScope(path, settings.scope))
    .flatMap((template) => fillTemplate(template, values).map((value) => toManifest(value)))
    .toSorted((left, right) => rankOf(left) - rankOf(right))
}

/** Whether an operator of this scope has the object of a template. */
export function isInScope(path: string, scope: OperatorSettings['scope']): boolean {
  return scope === 'cluster' || path !== CLUSTER_API_ROLE
}

/** The values of the templates in `templates/operator/`, which `templates/README.md` lists. */
export function operatorValues(
  { image = HELPER_IMAGE, namespace, pullSecrets = [], replicas, scope }: OperatorSettings,
  programOf: typeof readProgram,
): TemplateValues {
  const programs = {
    bundle: programOf('operator'),
    gatewayBundle: programOf('gateway'),
    keeperBundle: programOf('keeper'),
    syncerBundle: programOf('syncer'),
  }
  const isWide = scope === 'cluster'
  return {
    ...programs,
    checksum: checksumOf(programs),
    name: OPERATOR,
    namespace,
    labels: OPERATOR_LABELS,
    clusterApiLabels: { ...OPERATOR_LABELS, ...AGGREGATED },
    version: packageVersion(),
    roleKind: isWide ? 'ClusterRole' : 'Role',
    // In a cluster the name must not be that of another namespace's operator.
    roleName: isWide ? `vplane:${namespace}:operator` : OPERATOR,
    roleNamespace: isWide ? undefined : namespace,
    rules: operatorRules(scope),
    replicas,
    image,
    pullSecrets: pullSecrets.map((name) => ({ name })),
    watched: isWide ? '' : namespace,
    port: OPERATOR_PORT,
    resources: { requests: { cpu: '10m', memory: '96Mi' }, limits: { memory: '384Mi' } },
  }
}

/** Workloads come last. */
function rankOf({ kind }: Manifest): number {
  return kind === 'Deployment' ? 1 : 0
}

function toManifest(value: unknown): Manifest {
  if (!isWholeObject(value) || value.metadata.name === undefined) {
    throw new VplaneError('INVALID_SPEC', 'a template of the operator has no kind or no name')
  }
  const { name, ...metadata } = value.metadata
  return {
    ...value,
    metadata: { ...metadata, name, labels: { ...metadata.labels, ...OPERATOR_LABELS } },
  }
}
