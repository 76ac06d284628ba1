import { randomBytes } from 'node:crypto'
import type { Guard } from '../../compose/guard.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import { installWebhooks } from '../../control-plane/install/install-webhooks.ts'
import { rewriteWebhooks } from '../../control-plane/install/rewrite-webhooks.ts'
import type { AccessDependencies } from '../../control-plane/use-cases/access/access.ts'
import type { Contexts } from '../../control-plane/use-cases/access/contexts.ts'
import { createControlPlane } from '../../control-plane/use-cases/create/create-control-plane.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { silentUi } from '../../shared/ui.ts'
import type { ControlPlane, SharedControlPlane } from '../types/control-plane.ts'
import { ensurePrivateFolder } from './library-root.ts'
import { planeHandle } from '../handle/plane-handle.ts'
import { readManifestObjects } from './read-manifest-objects.ts'
import type { StartOptions } from '../types/start-options.ts'
import { forUsers } from '../types/user-error.ts'
import { toUserSpec } from './to-user-spec.ts'
import { prepareWebhookServing, targetOf } from '../handle/webhook-server.ts'

export interface OwnedDependencies extends AccessDependencies {
  drivers: readonly Driver[]
  contexts: Pick<Contexts, 'render'>
  guard: Pick<Guard, 'protect' | 'release'>
  /** Where the planes lie. */
  root: string
}

const TIMEOUT_MS = 60_000

/** Processes are killed and files removed: more time only helps a machine that is out of its depth. */
const REMOVAL_MS = 30_000

/** Starts a plane that goes with this process, out of given parts; see `startControlPlane`. */
export async function startOwned(
  deps: OwnedDependencies,
  options: StartOptions,
): Promise<ControlPlane> {
  const { binDir, signal = new AbortController().signal, timeoutMs = TIMEOUT_MS } = options
  const { contexts, guard, now, root } = deps
  const driver = localDriver(deps)
  const userSpec = toUserSpec(options)
  const objects = await readObjects(options, deps)
  const webhooks = options.webhooks && (await prepareWebhookServing(options.webhooks, now()))
  const target = webhooks && targetOf(webhooks)
  const crds = target === undefined ? objects.crds : rewriteWebhooks(objects.crds, target)
  const name = `test-${randomBytes(5).toString('hex')}`

  await using started = new AsyncDisposableStack()
  await ensurePrivateFolder(root)
  await guard.protect(root, name)
  started.defer(async () => {
    await removeOwned(driver, name)
    // One that is not gone stays protected: there will be another try.
    await guard.release(root, name)
  })
  const [{ access, plane }] = await Promise.all([
    createControlPlane(deps, {
      name,
      userSpec,
      driver,
      ...(binDir === undefined ? {} : { binDir }),
      ownerProcessId: process.pid,
      crds,
      wait: true,
      timeoutMs,
      signal,
    }),
    reap(driver, deps),
  ])
  if (access === undefined) {
    throw new VplaneError('BUG', `"${name}" was not waited for`)
  }
  const api = started.use(deps.openApi(access))
  if (target !== undefined) {
    await installWebhooks(api, { objects: objects.webhooks, target, timeoutMs, signal })
  }
  const handle = planeHandle({ driver, plane, access, api, contexts, webhooks })
  return ownedPlane(handle, started.move())
}

function localDriver({ drivers }: OwnedDependencies): Driver {
  const driver = drivers.find(({ name }) => name === 'local')
  if (driver === undefined) {
    throw new VplaneError(
      'UNSUPPORTED',
      'control planes do not run as processes on this platform',
      {
        hints: ['on Windows use WSL 2: https://learn.microsoft.com/windows/wsl/install'],
      },
    )
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

/**
 * Removes a plane of the library, however far its making came.
 *
 * @throws {VplaneError} `FAILED` with what is still there.
 */
async function removeOwned(driver: Driver, name: string): Promise<void> {
  const operation = { ui: silentUi, signal: AbortSignal.timeout(REMOVAL_MS) }
  const found = await driver.find(name)
  const leftovers = await Promise.all(found.map((plane) => driver.remove(plane, operation)))
  const left = leftovers.flat().map(({ what, why }) => `${what}: ${why}`)
  if (left.length > 0) {
    throw new VplaneError('FAILED', `"${name}" is not gone: ${left.join('; ')}`)
  }
}

/** Looking at all planes removes those whose owners have died: after a crash of the machine nobody else does it. */
async function reap(driver: Driver, { ui }: OwnedDependencies): Promise<void> {
  try {
    await driver.list()
  } catch (error) {
    // What others left behind is no reason not to start.
    ui.warn(`cannot remove control planes of processes that died: ${messageOf(error)}`)
  }
}

function ownedPlane(handle: SharedControlPlane, started: AsyncDisposableStack): ControlPlane {
  let stopping: Promise<void> | undefined
  const stop = async () => {
    stopping ??= forUsers(started.disposeAsync())
    await stopping
  }
  return { ...handle, stop, [Symbol.asyncDispose]: stop }
}
