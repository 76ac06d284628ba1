import { randomBytes } from 'node:crypto'
import type { Guard } from '../../compose/guard.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import { installWebhooks } from '../../control-plane/install/install-webhooks.ts'
import { rewriteWebhooks } from '../../control-plane/install/rewrite-webhooks.ts'
import type {
  AccessDependencies,
  AccessStore,
} from '../../control-plane/use-cases/access/access.ts'
import type { Contexts } from '../../control-plane/use-cases/access/contexts.ts'
import type { UserSpec } from '../../control-plane/spec/spec.ts'
import { parseSpec } from '../../control-plane/spec/parse-spec.ts'
import { createControlPlane } from '../../control-plane/use-cases/create/create-control-plane.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { silentUi } from '../../shared/ui.ts'
import type { ControlPlane, SharedControlPlane } from '../types/control-plane.ts'
import { checkOptions } from './check-options.ts'
import { ensurePrivateFolder } from './library-root.ts'
import { planeHandle } from '../handle/plane-handle.ts'
import { readManifestObjects } from './read-manifest-objects.ts'
import type { StartOptions } from '../types/start-options.ts'
import { withUserHints } from '../types/user-error.ts'
import { prepareWebhookServing } from '../handle/webhook-server.ts'

export interface OwnedDependencies extends Omit<AccessDependencies, 'accesses'> {
  drivers: readonly Driver[]
  contexts: Pick<Contexts, 'render'>
  guard: Pick<Guard, 'protect' | 'release'>
  root: string
  /** The ports that local planes keep, running or not. @default unknown */
  reservedPorts?: () => Promise<ReadonlySet<number>>
}

const TIMEOUT_MS = 60_000

/** How long the removal may take, in milliseconds: vplane kills processes and deletes files. */
const REMOVAL_MS = 30_000

/** No credential of an administrator is stored on disk: the process keeps the one that it gets at the start. */
const NO_STORE: AccessStore = {
  read: () => Promise.resolve(undefined),
  write: () => Promise.resolve(),
  remove: () => Promise.resolve(),
}

/** Does what `startControlPlane` does, with the given dependencies. */
export async function startOwned(
  deps: OwnedDependencies,
  options: StartOptions,
): Promise<ControlPlane> {
  checkOptions(options)
  const { binDir, signal = new AbortController().signal, timeoutMs = TIMEOUT_MS } = options
  const { contexts, guard, now, reservedPorts, root } = deps
  const driver = localDriver(deps)
  const userSpec = toUserSpec(options)
  const objects = await readObjects(options, deps)
  const webhooks =
    options.webhooks && (await prepareWebhookServing(options.webhooks, now(), reservedPorts))
  const crds = webhooks === undefined ? objects.crds : rewriteWebhooks(objects.crds, webhooks)
  const name = `test-${randomBytes(5).toString('hex')}`

  await using started = new AsyncDisposableStack()
  await ensurePrivateFolder(root)
  await guard.protect(root, name)
  started.defer(async () => {
    await removeOwned(driver, name)
    // After a failed removal the guard keeps protecting the plane: it tries again.
    await guard.release(root, name)
  })
  const owned = { ownerProcessId: process.pid, ...omitUndefined({ binDir }) }
  const request = { name, userSpec, driver, ...owned, crds, wait: true, timeoutMs, signal }
  const creating = createControlPlane({ ...deps, accesses: NO_STORE }, request)
  const [{ access, plane }] = await Promise.all([creating, reap(driver, deps)])
  if (access === undefined) {
    throw new VplaneError('BUG', `"${name}" was not waited for`)
  }
  const api = started.use(deps.openApi(access))
  if (webhooks !== undefined) {
    const installed = { objects: objects.webhooks, target: webhooks, timeoutMs, signal }
    await installWebhooks(api, installed)
  }
  const handle = planeHandle({ driver, plane, access, api, contexts, webhooks, root })
  return ownedPlane(handle, started.move())
}

/**
 * Returns the valid spec for the options, which is ephemeral by default.
 * @throws {VplaneError} `INVALID_SPEC` with every wrong field and why, `USAGE` when the version is unknown.
 */
export function toUserSpec({ spec, version }: StartOptions): UserSpec {
  const { ephemeral = true, version: versionOfSpec, ...others } = spec ?? {}
  const wanted = { ...others, ephemeral, version: version ?? versionOfSpec }
  // JSON has no undefined fields, at any depth.
  return parseSpec({ flags: JSON.parse(JSON.stringify(wanted)) })
}

function localDriver({ drivers }: OwnedDependencies): Driver {
  const driver = drivers.find(({ name }) => name === 'local')
  if (driver === undefined) {
    const message = 'control planes cannot run as processes on this platform'
    throw new VplaneError('UNSUPPORTED', message, {
      hints: ['on Windows use WSL 2: https://learn.microsoft.com/windows/wsl/install'],
    })
  }
  return driver
}

async function readObjects(
  { crds = [], webhooks: { objects = [], paths = [] } = {} }: StartOptions,
  { ui }: OwnedDependencies,
) {
  return {
    crds: await readManifestObjects(crds, { source: 'crds', ui }),
    webhooks: [
      ...(await readManifestObjects(paths, { source: 'webhooks.paths', ui })),
      ...(await readManifestObjects(objects, { source: 'webhooks.objects', ui })),
    ],
  }
}

/** Also after a failed creation. @throws {VplaneError} `FAILED` with what could not be removed. */
async function removeOwned(driver: Driver, name: string): Promise<void> {
  const operation = { ui: silentUi, signal: AbortSignal.timeout(REMOVAL_MS) }
  const found = await driver.find(name)
  const leftovers = await Promise.all(found.map((plane) => driver.remove(plane, operation)))
  const left = leftovers.flat().map(({ what, why }) => `${what}: ${why}`)
  if (left.length > 0) {
    throw new VplaneError('FAILED', `"${name}" could not be removed: ${left.join('; ')}`)
  }
}

/** Listing the planes removes those whose owners have ended: after a crash of the machine nothing else does. */
async function reap(driver: Driver, { ui }: OwnedDependencies): Promise<void> {
  try {
    await driver.list()
  } catch (error) {
    // Planes of other processes do not prevent the start.
    ui.warn(`cannot remove control planes of processes that ended: ${messageOf(error)}`)
  }
}

function ownedPlane(handle: SharedControlPlane, started: AsyncDisposableStack): ControlPlane {
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= withUserHints(started.disposeAsync()))
  return { ...handle, stop, [Symbol.asyncDispose]: stop }
}
