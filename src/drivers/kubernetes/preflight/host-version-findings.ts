import type { Finding } from '../../../control-plane/status/finding.ts'
import { knownKubernetesVersions } from '../../../control-plane/spec/kubernetes-version.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** The first minor that knows every field of the templates; older ones drop some silently. */
const OLDEST_MINOR = 27

/** Checks the version of the host; `version` is its answer to `/version`, if any. */
export function hostVersionFindings(version: KubeObject | undefined): Finding[] {
  const subject = 'host version'
  const given = version?.['gitVersion']
  const text = typeof given === 'string' ? given : ''
  const minor = minorOf(text)
  if (minor === undefined) {
    return []
  }
  const minors = knownKubernetesVersions().map((known) => minorOf(known) ?? 0)
  const [oldest, newest] = [Math.min(...minors), Math.max(...minors)]
  const tested = `vplane is tested with hosts of 1.${oldest} to 1.${newest}`
  if (minor < OLDEST_MINOR) {
    const message = `Kubernetes ${text} is too old: 1.${OLDEST_MINOR} or later is needed`
    const here = { purpose: 'or run the plane on this machine', driver: 'local' }
    return [{ subject, level: 'problem', message, hint: ['upgrade the host cluster', here] }]
  }
  return minor < oldest
    ? [{ subject, level: 'warning', message: `Kubernetes ${text}: ${tested}` }]
    : []
}

/** Vendors add suffixes: `v1.33.5-gke.1080000`, `v1.35.1+k3s1`. */
function minorOf(version: string): number | undefined {
  const match = /^v?1\.(\d+)/.exec(version)
  return match === null ? undefined : Number(match[1])
}
