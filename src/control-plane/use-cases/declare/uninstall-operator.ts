import { VplaneError } from '../../../shared/errors.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Declaration, Operators } from '../../declared/operators.ts'
import { isReadable } from '../../plane/unreadable-plane.ts'
import type { ChangeDependencies } from '../change/change-control-plane.ts'
import { changeOwner } from './change-owner.ts'

export interface UninstallDependencies extends ChangeDependencies {
  /** Runs planes in the host cluster. */
  driver: Driver
  operators: Operators
}

export interface UninstallOptions {
  /** Of the operator. */
  namespace: string
  timeoutMs: number
  signal: AbortSignal
}

/** The planes that an operator kept, as `NAMESPACE/NAME`. */
export interface UninstallResult {
  released: string[]
  /** The Helm release that has the stopped operator. @default the operator was removed */
  helmRelease?: string
}

/**
 * Removes an operator. Its planes stay: keepers do their duties again. ControlPlanes and their CRD stay, too; `adopt`
 * connects them again. An operator of a Helm release is stopped, and Helm removes it. The same call continues an
 * interrupted one.
 * @throws {VplaneError} `NOT_FOUND` when the namespace has no operator, and what a change of a plane throws.
 */
export async function uninstallOperator(
  deps: UninstallDependencies,
  { namespace, signal, timeoutMs }: UninstallOptions,
): Promise<UninstallResult> {
  const { operators, ui } = deps
  const operator = await operators.read(namespace, signal)
  if (operator === undefined) {
    throw new VplaneError('NOT_FOUND', `namespace "${namespace}" has no operator`)
  }
  const operation = { ui, signal }
  const watched = operator.scope === 'cluster' ? undefined : namespace
  // Its Deployment is found until everything is released.
  await operators.stop(operator, operation)
  const released: string[] = []
  for (const declaration of await operators.declarations(watched, signal)) {
    ui.step(`Releasing "${declaration.name}" in namespace "${declaration.namespace}"`)
    if (await release(deps, declaration, { timeoutMs, signal })) {
      released.push(`${declaration.namespace}/${declaration.name}`)
    }
    await operators.free(declaration, signal)
  }
  if (operator.helmRelease !== undefined) {
    return { released, helmRelease: operator.helmRelease }
  }
  await operators.remove(operator, operation)
  return { released }
}

async function release(
  deps: UninstallDependencies,
  { name, namespace, uid }: Declaration,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<boolean> {
  const { driver } = deps
  const [plane] = await driver.find(name, { namespace, signal: options.signal })
  if (plane === undefined || !isReadable(plane) || plane.declaredBy !== uid) {
    return false
  }
  await changeOwner(deps, { driver, plane, ...options }, null)
  return true
}
