import { dirname, join } from 'node:path'
import { accessPathOf } from '../../compose/access/access-path.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import { deletedMeanwhile } from '../../control-plane/plane/deleted-meanwhile.ts'
import type { Identity, Plane } from '../../control-plane/plane/plane.ts'
import type { PlaneApi } from '../../control-plane/api/plane-api.ts'
import type { Access } from '../../control-plane/use-cases/access/access.ts'
import type { Contexts } from '../../control-plane/use-cases/access/contexts.ts'
import { hasErrorCode } from '../../shared/errors.ts'
import { toFolderError } from '../../shared/files/folder-error.ts'
import { shortFileName } from '../../shared/files/short-file-name.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import type { SharedControlPlane, User, WebhookServing } from '../types/control-plane.ts'
import { withUserHints } from '../types/user-error.ts'
import { createNamespace } from './create-namespace.ts'
import { webhooksOf } from './webhook-server.ts'

/** The lifetime of credentials of the library. */
export const DAY_MS = 24 * 60 * 60 * 1000

export interface ReadyPlane {
  driver: Driver
  plane: Plane
  access: Access
  api: PlaneApi
  contexts: Pick<Contexts, 'render'>
  webhooks: WebhookServing | undefined
  /** Folder of the library's planes. */
  root: string
}

/** Returns a ready plane as tests use it. */
export function planeHandle(ready: ReadyPlane): SharedControlPlane {
  const { access, api, driver, plane, webhooks } = ready
  const kubeconfig = kubeconfigOf(ready, access)
  return {
    name: plane.name,
    version: plane.spec.version,
    server: access.server,
    certificateAuthority: access.certificateAuthority,
    kubeconfig,
    api,
    ...(webhooks === undefined ? {} : { webhooks: webhooksOf(webhooks) }),
    addUser: ({ groups = [], lifetimeMs = DAY_MS, name }) =>
      withUserHints(addUser(ready, { user: name, groups }, lifetimeMs)),
    writeKubeconfig: (user) => withUserHints(writeKubeconfig(ready, user ?? { kubeconfig })),
    createNamespace: (options) => createNamespace(api, options),
    logs: async (component, { tail } = {}) => {
      const request = { component, follow: false, tail }
      const lines = driver.logs(plane, request, new AbortController().signal)
      return (await withUserHints(Array.fromAsync(lines, ({ text }) => text))).join('')
    },
  }
}

async function addUser(ready: ReadyPlane, identity: Identity, lifetimeMs: number): Promise<User> {
  const { access, driver, plane } = ready
  const credential = await driver.issueCredential(plane, identity, lifetimeMs)
  const { certificate, expiresAt, key } = credential
  const kubeconfig = kubeconfigOf(ready, { ...access, ...credential })
  return { name: identity.user, kubeconfig, certificate, key, expiresAt }
}

async function writeKubeconfig(
  { plane, root }: ReadyPlane,
  { kubeconfig, name }: { kubeconfig: string; name?: string },
): Promise<string> {
  const file = shortFileName(name === undefined ? ['kubeconfig'] : ['kubeconfig', name])
  const folder = dirname(accessPathOf(root, plane))
  const path = join(folder, file)
  try {
    await writeFile(path, kubeconfig)
    return path
  } catch (error) {
    throw hasErrorCode(error, 'ENOENT')
      ? deletedMeanwhile(plane.name, error)
      : toFolderError(error, folder, { hints: ['set TMPDIR to a writable folder'] })
  }
}

function kubeconfigOf({ contexts, plane }: ReadyPlane, access: Access): string {
  return contexts.render({ plane, endpoint: access, user: { kind: 'embedded', access } })
}
