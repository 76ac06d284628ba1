import type { FieldDecisions } from '../field-decisions.ts'
import { OBJECT_FIELDS } from '../object-fields.ts'
import { AFFINITY_FIELDS, SPREAD_FIELDS } from '../pod-placement/host-placement.ts'
import { CONTAINER_FIELDS, NO_RESOURCE_CLAIMS, RESOURCE_FIELDS } from './host-containers.ts'
import { POD_SECURITY_FIELDS } from './security-rules.ts'
import { VOLUME_FIELDS } from './volume-fields.ts'

/** The fields of a pod that are the same on the host. The policy may still refuse their values. */
export const COPIED_POD_FIELDS = {
  activeDeadlineSeconds: 'copy',
  hostAliases: { hostnames: 'copy', ip: 'copy' },
  hostIPC: 'copy',
  hostNetwork: 'copy',
  hostPID: 'copy',
  hostUsers: 'copy',
  os: { name: 'copy' },
  resources: RESOURCE_FIELDS,
  restartPolicy: 'copy',
  shareProcessNamespace: 'copy',
  terminationGracePeriodSeconds: 'copy',
  tolerations: {
    effect: 'copy',
    key: 'copy',
    operator: 'copy',
    tolerationSeconds: 'copy',
    value: 'copy',
  },
} as const satisfies FieldDecisions

/** The decision for each field that only ephemeral containers have. */
export const EPHEMERAL_FIELDS = { targetContainerName: 'copy' } as const

/** The decision for each field of an ephemeral container. */
export const EPHEMERAL_CONTAINER_FIELDS = { ...CONTAINER_FIELDS, ...EPHEMERAL_FIELDS }

const NO_GROUPS = 'refuse: is not possible in a plane: its object is unknown to the host'

const NO_RESPONDERS =
  'refuse: is not possible in a plane: the host evicts pods without asking responders of the plane'

/** The decision for each field of a pod's DNS settings. */
export const DNS_FIELDS = {
  nameservers: 'copy',
  options: { name: 'copy', value: 'copy' },
  searches: 'copy',
} as const satisfies FieldDecisions

/**
 * The decision for each field of a pod. Dropped are fields that the host sets itself from the translated ones,
 * `preemptionPolicy` by its own class; and gates: the plane handles them before it has a host pod, or as conditions of the
 * virtual pod alone.
 */
export const POD_FIELDS = {
  ...OBJECT_FIELDS,
  spec: {
    ...COPIED_POD_FIELDS,
    affinity: AFFINITY_FIELDS,
    automountServiceAccountToken: 'drop',
    containers: CONTAINER_FIELDS,
    dnsConfig: DNS_FIELDS,
    dnsPolicy: 'translate',
    enableServiceLinks: 'translate',
    // No pod is created with them.
    ephemeralContainers: EPHEMERAL_CONTAINER_FIELDS,
    evictionResponders: NO_RESPONDERS,
    hostname: 'translate',
    hostnameOverride: 'translate',
    imagePullSecrets: { name: 'translate' },
    initContainers: CONTAINER_FIELDS,
    nodeName: 'translate',
    nodeSelector: 'translate',
    overhead: 'drop',
    preemptionPolicy: 'drop',
    priority: 'drop',
    priorityClassName: 'translate',
    readinessGates: 'drop',
    resourceClaims: NO_RESOURCE_CLAIMS,
    runtimeClassName: 'translate',
    schedulerName: 'drop',
    schedulingGates: 'drop',
    schedulingGroup: NO_GROUPS,
    securityContext: POD_SECURITY_FIELDS,
    serviceAccount: 'drop',
    serviceAccountName: 'translate',
    setHostnameAsFQDN: 'translate',
    subdomain: 'translate',
    topologySpreadConstraints: SPREAD_FIELDS,
    volumes: VOLUME_FIELDS,
    workloadRef: NO_GROUPS,
  },
  status: 'drop',
} as const satisfies FieldDecisions
