import { compose } from '../compose/compose.ts'
import { isReadable } from '../control-plane/plane/unreadable-plane.ts'
import { ADMIN } from '../control-plane/plane/plane.ts'
import { processEnvironment } from '../shared/environment.ts'
import { VplaneError } from '../shared/errors.ts'
import { silentUi } from '../shared/ui.ts'
import type { SharedControlPlane, WebhookServing } from './types/control-plane.ts'
import { DAY_MS, planeHandle } from './handle/plane-handle.ts'

/** Identifies a running plane; other processes of the same user can use it. */
export interface AttachOptions {
  root: string
  name: string
  webhooks?: WebhookServing
}

/**
 * Opens a plane that another process of this user started and still owns, with a new credential.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was stopped.
 */
export async function attachControlPlane({
  name,
  root,
  webhooks,
}: AttachOptions): Promise<SharedControlPlane & AsyncDisposable> {
  const environment = processEnvironment()
  const { contexts, drivers, openApi } = compose({ environment, root, ui: silentUi })
  const driver = drivers.find((one) => one.name === 'local')
  const plane = (await driver?.find(name))?.find(isReadable)
  if (driver === undefined || plane === undefined) {
    throw new VplaneError('CONTROL_PLANE_NOT_FOUND', `the control plane "${name}" was stopped`)
  }
  const access = {
    ...(await driver.endpoint(plane)),
    ...(await driver.issueCredential(plane, ADMIN, DAY_MS)),
  }
  const api = openApi(access)
  return {
    ...planeHandle({ driver, plane, access, api, contexts, webhooks, root }),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}
