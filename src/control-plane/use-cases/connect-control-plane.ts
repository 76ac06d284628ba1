import { VplaneError } from '../../shared/errors.ts'
import type { Driver } from '../driver.ts'
import { parseName } from '../names.ts'
import { type PlaneReference, referenceOf } from '../plane.ts'
import { type Access, type AccessDependencies, openAccess } from './access.ts'
import type { Contexts, NewContext, RemovedContext, WrittenContext } from './contexts.ts'
import { type PlaneSelector, type ResolvedPlane, resolvePlane } from './resolve-plane.ts'

export interface ConnectDependencies extends AccessDependencies {
  drivers: readonly Driver[]
  contexts: Contexts
}

export interface ConnectOptions extends PlaneSelector {
  /** Write a certificate into the kubeconfig instead of naming the credential plugin. */
  embedCredentials: boolean
  timeoutMs: number
  signal: AbortSignal
}

export interface ConnectResult extends WrittenContext {
  plane: PlaneReference
}

/**
 * Starts a plane that rests, and makes a context of the user's kubeconfig lead to it.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and what `openAccess` and the kubeconfig's file throw.
 */
export async function connectControlPlane(
  deps: ConnectDependencies,
  options: ConnectOptions,
): Promise<ConnectResult> {
  const { plane, ...context } = await contextOf(deps, options)
  const written = await deps.contexts.add({ ...context, plane }, options.signal)
  return { ...written, plane: referenceOf(plane) }
}

/**
 * A kubeconfig for one plane alone, as text.
 *
 * @throws {VplaneError} as `connectControlPlane` does.
 */
export async function renderControlPlaneKubeconfig(
  deps: ConnectDependencies,
  options: ConnectOptions,
): Promise<string> {
  return deps.contexts.render(await contextOf(deps, options))
}

/**
 * A way into a plane by name.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and what `openAccess` throws.
 */
export async function openAccessTo(
  deps: AccessDependencies & { drivers: readonly Driver[] },
  { signal, timeoutMs, ...selector }: Omit<ConnectOptions, 'embedCredentials'>,
): Promise<ResolvedPlane & { access: Access }> {
  const found = await resolvePlane(deps.drivers, selector)
  return { ...found, access: await openAccess(deps, { ...found, timeoutMs, signal }) }
}

/**
 * Removes the context of a plane, or of the one that is current, and goes back to the context before.
 *
 * @throws {VplaneError} `NOT_FOUND` when there is no such context.
 */
export async function disconnectControlPlane(
  { contexts }: Pick<ConnectDependencies, 'contexts'>,
  { name, signal }: { name: string | undefined; signal: AbortSignal },
): Promise<RemovedContext & { plane: PlaneReference }> {
  const planes = await contexts.planes()
  const plane =
    name === undefined ? await contexts.currentPlane() : connectedPlane(planes, parseName(name))
  const removed = plane && (await contexts.remove(plane, signal))
  if (plane === undefined || removed === undefined) {
    const message =
      name === undefined
        ? 'the current context is not one of vplane'
        : `no context of the kubeconfig leads to "${name}"`
    throw new VplaneError('NOT_FOUND', message, {
      hints: planes.map((candidate) => `vplane disconnect ${candidate.name}`),
    })
  }
  return { ...removed, plane: referenceOf(plane) }
}

/** A context whose record is damaged is known by its name alone, whatever the driver. */
function connectedPlane(planes: readonly PlaneReference[], name: string): PlaneReference {
  return planes.find((plane) => plane.name === name) ?? { name, driver: 'local' }
}

async function contextOf(
  deps: ConnectDependencies,
  { embedCredentials, ...options }: ConnectOptions,
): Promise<NewContext> {
  const { access, plane } = await openAccessTo(deps, options)
  return {
    plane,
    endpoint: access,
    user: embedCredentials ? { kind: 'embedded', access } : { kind: 'plugin' },
  }
}
