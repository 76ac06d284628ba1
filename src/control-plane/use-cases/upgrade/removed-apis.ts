import { parseSample } from '../../../shared/text/parse-sample.ts'
import { minorOf } from '../../spec/kubernetes-version.ts'

const METRIC = 'apiserver_requested_deprecated_apis'

/**
 * The APIs that somebody has asked a kube-apiserver for since it started, and that a later version no longer has:
 * `flowschemas.flowcontrol.apiserver.k8s.io/v1beta3, which is gone from 1.32 on`.
 *
 * kube-apiserver itself says with which release an API goes away: Kubernetes, "Metrics reference",
 * `apiserver_requested_deprecated_apis`, a stable metric.
 *
 * @param metrics what kube-apiserver says at /metrics
 * @param version the later one, such as `1.36.3`
 */
export function removedApis(metrics: string, version: string): string[] {
  const found = metrics
    .split('\n')
    .filter((line) => line.startsWith(`${METRIC}{`))
    .map((line) => parseSample(line).labels)
    .filter(({ removed_release: release = '' }) => isGone(release, version))
    .map(
      ({ group, resource, subresource, version: of, removed_release: release }) =>
        `${[resource, subresource].filter(Boolean).join('/')} of ${[group, of].filter(Boolean).join('/')}, which is gone from ${release} on`,
    )
  return [...new Set(found)].toSorted()
}

function isGone(release: string, version: string): boolean {
  return /^1\.\d+$/.test(release) && minorOf(release) <= minorOf(version)
}
