import { knownKubernetesVersions } from '../../../src/control-plane/spec/kubernetes-version.ts'

const KNOWN = knownKubernetesVersions()

/** The newest supported Kubernetes, of hosts and of planes. */
export const NEWEST = KNOWN[0] ?? ''

/** The oldest supported Kubernetes, of hosts and of planes. */
export const OLDEST = KNOWN.at(-1) ?? ''
