import type { Finding } from '../../../control-plane/status/finding.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi, HostRequest } from './host-api.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { recordsAt } from '../../../shared/json-fields.ts'

/** The resource that a Prometheus operator adds to the host's API. */
const API = {
  group: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  resource: 'servicemonitors',
}

const MISSING = {
  message: `the host has no ${API.kind} (${API.group}), which "metrics.serviceMonitor" requires: it has no Prometheus operator`,
  hint: [
    'install the CRDs of the Prometheus operator on the host',
    { purpose: 'or turn off "metrics.serviceMonitor"', serviceMonitor: false },
  ],
} as const

/** Returns a problem when the objects have ServiceMonitors and the host has no such resource. */
export async function monitorFindings(
  api: Pick<HostApi, 'get'>,
  objects: readonly KubeObject[],
  options: HostRequest,
): Promise<Finding[]> {
  return (await lacksMonitors(api, objects, options))
    ? [{ subject: 'monitoring', level: 'problem', ...MISSING }]
    : []
}

/** @throws {VplaneError} `FAILED` when objects need the resource, and the host lacks it. */
export async function refuseWithoutMonitors(
  api: Pick<HostApi, 'get'>,
  objects: readonly KubeObject[],
  options: HostRequest,
): Promise<void> {
  if (await lacksMonitors(api, objects, options)) {
    throw new VplaneError('FAILED', MISSING.message, { hints: MISSING.hint })
  }
}

async function lacksMonitors(
  api: Pick<HostApi, 'get'>,
  objects: readonly KubeObject[],
  { signal }: HostRequest,
): Promise<boolean> {
  if (!objects.some(({ apiVersion, kind }) => apiVersion === API.group && kind === API.kind)) {
    return false
  }
  const resources = api
    .get(`/apis/${API.group}`, { signal })
    .then((kinds) => recordsAt(kinds, 'resources'))
  // A user who may not read the group gets no finding.
  const found = await unlessStatus([403], resources)
  return found !== undefined && !found.some(({ name }) => name === API.resource)
}
