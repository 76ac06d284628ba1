import type { InstalledOperator, Operators } from '../../control-plane/declared/operators.ts'
import { VplaneError } from '../../shared/errors.ts'

/** An operator, as `--json` shows it. */
export interface OperatorResult {
  namespace: string
  scope: 'cluster' | 'namespace'
  version: string
  image: string | null
  /** The Helm release that has it; null if vplane installed it. */
  helmRelease: string | null
  replicas: { wanted: number; ready: number }
  /** The pod that works; null while none does. */
  leader: string | null
  controlPlanes: Array<{ name: string; namespace: string; ready: boolean }>
}

/** What was removed, as `--json` shows it. */
export interface OperatorUninstallResult {
  namespace: string
  /** The planes that it kept, as NAMESPACE/NAME. */
  released: string[]
  /** The Helm release that has the stopped operator; null if it was removed. */
  helmRelease: string | null
}

/** Reads an operator and its ControlPlanes. @throws {VplaneError} `NOT_FOUND` when the namespace has none. */
export async function toOperatorResult(
  operators: Operators,
  { namespace, signal }: { namespace: string; signal: AbortSignal },
): Promise<OperatorResult> {
  const operator = await presentOperator(operators, { namespace, signal })
  const { helmRelease, image, leader, readyReplicas, replicas, scope, version } = operator
  const watched = scope === 'cluster' ? undefined : namespace
  const declarations = await operators.declarations(watched, signal)
  return {
    namespace,
    scope,
    version,
    image: image ?? null,
    helmRelease: helmRelease ?? null,
    replicas: { wanted: replicas, ready: readyReplicas },
    leader: leader ?? null,
    controlPlanes: declarations.map(({ isReady, name, namespace: place }) => ({
      name,
      namespace: place,
      ready: isReady,
    })),
  }
}

/** @throws {VplaneError} `NOT_FOUND` when the namespace has no operator. */
export async function presentOperator(
  operators: Operators,
  { namespace, signal }: { namespace: string; signal: AbortSignal },
): Promise<InstalledOperator> {
  const operator = await operators.read(namespace, signal)
  if (operator === undefined) {
    throw new VplaneError('NOT_FOUND', `namespace "${namespace}" has no operator`, {
      hints: [{ action: 'install-operator' }],
    })
  }
  return operator
}

/** What `operator uninstall` prints for people. */
export function uninstalledLines(result: OperatorUninstallResult): string[] {
  const { helmRelease, namespace, released } = result
  const planes =
    released.length === 0 ? 'It had no planes.' : `Its planes stay: ${released.join(', ')}.`
  return helmRelease === null
    ? [`Removed the operator. ${planes}`]
    : [
        `Stopped the operator. ${planes}`,
        `Remove it: helm uninstall ${helmRelease} --namespace ${namespace}`,
      ]
}
