import { COMPONENTS_SCHEMA } from '../../control-plane/sync/prepare-sync.ts'
import { createKubeClient } from '../../kube/client/client.ts'
import type { KubeConnection } from '../../kube/connection.ts'
import { parseSample } from '../../shared/text/format-metrics.ts'

/** How much a plane was used, as its API servers count. */
export interface PlaneUse {
  /** Changes when someone uses the plane, or when one of its API servers restarts. */
  mark: string
  /** A user has a shell in a pod, follows a log, or forwards a port. */
  isBusy: boolean
  /** Objects were created, changed or deleted since its API servers started, by anyone but for its own upkeep. */
  hasWrites: boolean
}

/**
 * Flow schemas of the requests of a plane's own components: the API server, identities with a credential of a year from
 * vplane, probes, controllers, and the syncer. All other requests come from users.
 */
const OWN_SCHEMAS = [
  'exempt',
  'probes',
  'system-leader-election',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-system-service-accounts',
  COMPONENTS_SCHEMA,
]

/**
 * 90 days, in seconds: a certificate with less remaining lifetime belongs to a user. Administrators share a flow schema
 * with the API server, but their certificates last a day; certificates of components are renewed earlier.
 */
const USERS_CERTIFICATE_SECONDS = 7_776_000

const DISPATCHED = 'apiserver_flowcontrol_dispatched_requests_total'
const CERTIFICATES = 'apiserver_client_certificate_expiration_seconds_bucket'
const LONG_RUNNING = 'apiserver_longrunning_requests'
const REQUESTS = 'apiserver_request_total'
const STARTED = 'process_start_time_seconds'

const ABOUT_USE = new RegExp(
  `^(?:${[DISPATCHED, CERTIFICATES, LONG_RUNNING, REQUESTS, STARTED].join('|')})[^\\n]*`,
  'gm',
)

const WRITING_VERBS = ['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE', 'DELETECOLLECTION']

/** Written by components that nobody uses, or not stored at all, such as reviews of access. */
const UPKEEP_GROUPS = ['coordination.k8s.io', 'authentication.k8s.io', 'authorization.k8s.io']

/** Reads from all kube-apiservers. @throws {VplaneError} `UNREACHABLE` when one is silent, `FAILED` when it refuses. */
export async function readUse(
  servers: readonly KubeConnection[],
  signal: AbortSignal,
): Promise<PlaneUse> {
  return useOf(await Promise.all(servers.map((server) => readMetrics(server, signal))))
}

/** Keeps only the lines about use: the whole text has megabytes. */
async function readMetrics(connection: KubeConnection, signal: AbortSignal): Promise<string[]> {
  await using client = createKubeClient(connection)
  return await linesAboutUse(client.stream('/metrics', { signal }))
}

/** The lines of the metrics of a kube-apiserver that are about the use of its plane; no others are separated. */
export async function linesAboutUse(pieces: AsyncIterable<string>): Promise<string[]> {
  const lines: string[] = []
  let rest = ''
  for await (const piece of pieces) {
    const text = rest + piece
    const end = text.lastIndexOf('\n') + 1
    lines.push(...(text.slice(0, end).match(ABOUT_USE) ?? []))
    rest = text.slice(end)
  }
  lines.push(...(rest.match(ABOUT_USE) ?? []))
  return lines
}

/**
 * The use of a plane from these lines of each kube-apiserver's metrics. A watch counts once, when it starts, since
 * clients renew theirs every few minutes. Any other long-running request counts as long as it is open.
 */
export function useOf(metrics: ReadonlyArray<readonly string[]>): PlaneUse {
  const instances = metrics.map(countsOf)
  return {
    mark: instances
      .map(({ requests, startedAt }) => `${startedAt}:${requests}`)
      .toSorted()
      .join(),
    isBusy: instances.some(({ open }) => open > 0),
    hasWrites: instances.some(({ writes }) => writes > 0),
  }
}

function countsOf(
  lines: readonly string[],
): Record<'startedAt' | 'requests' | 'open' | 'writes', number> {
  let [startedAt, requests, open, writes] = [0, 0, 0, 0]
  for (const { labels, name, value } of lines.map(parseSample)) {
    if (name === STARTED) {
      startedAt = value
    } else if (name === DISPATCHED && !OWN_SCHEMAS.includes(labels['flow_schema'] ?? '')) {
      requests += value
    } else if (name === CERTIFICATES && Number(labels['le']) === USERS_CERTIFICATE_SECONDS) {
      requests += value
    } else if (name === LONG_RUNNING && labels['verb'] !== 'WATCH') {
      open += value
    } else if (name === REQUESTS && isWrite(labels)) {
      writes += value
    }
  }
  return { startedAt, requests, open, writes }
}

/** Whether requests with these labels have changed an object that someone asked for. */
function isWrite({
  code,
  dry_run: dryRun,
  group = '',
  resource,
  subresource,
  verb = '',
}: Record<string, string>): boolean {
  return (
    WRITING_VERBS.includes(verb) &&
    code?.startsWith('2') === true &&
    dryRun === '' &&
    !UPKEEP_GROUPS.includes(group) &&
    resource !== 'events' &&
    subresource !== 'token'
  )
}
