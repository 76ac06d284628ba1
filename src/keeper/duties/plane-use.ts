import { COMPONENTS_SCHEMA } from '../../control-plane/sync/prepare-sync.ts'
import { parseSample } from '../../shared/text/parse-sample.ts'

/** How much a plane was used, as its API servers count. */
export interface PlaneUse {
  /** Another one as soon as somebody uses the plane, or an API server of it was started again. */
  mark: string
  /** Somebody is at it: a shell in a pod, a log that is followed, a forwarded port. */
  isBusy: boolean
}

/**
 * Flow schemas of requests that a plane's own components make: the API server itself and whoever vplane makes a credential
 * of a year for, probes, controllers, and the syncer. All others are of somebody who uses the plane.
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
 * The remaining lifetime of a certificate up to which it is a user's, in seconds: 90 days. Administrators are in a flow
 * schema with the API server itself, but have certificates of a day, and components have theirs renewed before that.
 */
const USERS_CERTIFICATE_SECONDS = 7_776_000

const DISPATCHED = 'apiserver_flowcontrol_dispatched_requests_total'
const CERTIFICATES = 'apiserver_client_certificate_expiration_seconds_bucket'
const LONG_RUNNING = 'apiserver_longrunning_requests'
const STARTED = 'process_start_time_seconds'

/** Tells whether a line of the metrics of a kube-apiserver says something about its use. */
export function isAboutUse(line: string): boolean {
  return [DISPATCHED, CERTIFICATES, LONG_RUNNING, STARTED].some((name) => line.startsWith(name))
}

/**
 * What the metrics of all kube-apiservers of a plane say about its use: of each the lines that do.
 *
 * A watch counts when it begins: clients renew theirs every few minutes. Everything else that stays open is seen as long
 * as it does.
 */
export function useOf(metrics: ReadonlyArray<readonly string[]>): PlaneUse {
  const instances = metrics.map(countsOf)
  return {
    mark: instances
      .map(({ requests, startedAt }) => `${startedAt}:${requests}`)
      .toSorted()
      .join(),
    isBusy: instances.some(({ open }) => open > 0),
  }
}

function countsOf(lines: readonly string[]): { startedAt: number; requests: number; open: number } {
  let [startedAt, requests, open] = [0, 0, 0]
  for (const { labels, name, value } of lines.map(parseSample)) {
    if (name === STARTED) {
      startedAt = value
    } else if (name === DISPATCHED && !OWN_SCHEMAS.includes(labels['flow_schema'] ?? '')) {
      requests += value
    } else if (name === CERTIFICATES && Number(labels['le']) === USERS_CERTIFICATE_SECONDS) {
      requests += value
    } else if (name === LONG_RUNNING && labels['verb'] !== 'WATCH') {
      open += value
    }
  }
  return { startedAt, requests, open }
}
