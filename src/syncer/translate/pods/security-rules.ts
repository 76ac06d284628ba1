import { type Json, recordAt, recordsAt, textAt, textsAt } from '../../../shared/json-fields.ts'
import { copiedFields, type FieldDecisions } from '../field-decisions.ts'
import { demand, type PodDraft } from '../pod-draft/pod-draft.ts'

const CREDENTIALS_OF_HOST = 'refuse: is not possible in a plane: it is of the host'

const COMMON_FIELDS = {
  appArmorProfile: { localhostProfile: 'copy', type: 'copy' },
  runAsGroup: 'copy',
  runAsNonRoot: 'copy',
  runAsUser: 'copy',
  seLinuxOptions: { level: 'copy', role: 'copy', type: 'copy', user: 'copy' },
  seccompProfile: { localhostProfile: 'copy', type: 'copy' },
  windowsOptions: {
    gmsaCredentialSpec: CREDENTIALS_OF_HOST,
    gmsaCredentialSpecName: CREDENTIALS_OF_HOST,
    hostProcess: 'copy',
    runAsUserName: 'copy',
  },
} as const satisfies FieldDecisions

/** The decision for each field of a pod's security context. The policy may still refuse its values. */
export const POD_SECURITY_FIELDS = {
  ...COMMON_FIELDS,
  fsGroup: 'copy',
  fsGroupChangePolicy: 'copy',
  seLinuxChangePolicy: 'copy',
  supplementalGroups: 'copy',
  supplementalGroupsPolicy: 'copy',
  sysctls: { name: 'copy', value: 'copy' },
} as const satisfies FieldDecisions

/** The decision for each field of a container's security context. */
export const CONTAINER_SECURITY_FIELDS = {
  ...COMMON_FIELDS,
  allowPrivilegeEscalation: 'copy',
  capabilities: { add: 'copy', drop: 'copy' },
  privileged: 'copy',
  procMount: 'copy',
  readOnlyRootFilesystem: 'copy',
} as const satisfies FieldDecisions

// What Pod Security `baseline` allows, as of Kubernetes 1.36.
const CONFINED = [undefined, 'RuntimeDefault', 'Localhost']
const SELINUX_TYPES = [
  undefined,
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
]
const SYSCTLS = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
]
const CAPABILITIES = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]

/** Checks a pod's security context against the plane's policy; returns its fields on the host, which are the same. */
export function checkedPodSecurity(draft: PodDraft, security: Json): Json {
  const at = 'spec.securityContext'
  for (const { name } of recordsAt(security, 'sysctls')) {
    if (typeof name !== 'string' || !SYSCTLS.includes(name)) {
      demand(draft, 'sysctls', `${at}.sysctls "${String(name)}"`)
    }
  }
  checkCommon(draft, security, at)
  return copiedFields(POD_SECURITY_FIELDS, security)
}

/** Checks a container's security context in the same way. */
export function checkedContainerSecurity(draft: PodDraft, security: Json, at: string): Json {
  for (const capability of textsAt(security, 'capabilities', 'add')) {
    if (!CAPABILITIES.includes(capability)) {
      demand(draft, 'capabilities', `${at}.capabilities.add "${capability}"`)
    }
  }
  if (security['privileged'] === true) {
    demand(draft, 'privileged', `${at}.privileged`)
  }
  if (![undefined, 'Default'].includes(textAt(security, 'procMount'))) {
    demand(draft, 'procMount', `${at}.procMount`)
  }
  checkCommon(draft, security, at)
  return copiedFields(CONTAINER_SECURITY_FIELDS, security)
}

function checkCommon(draft: PodDraft, security: Json, at: string): void {
  const seLinux = recordAt(security, 'seLinuxOptions') ?? {}
  const isOrdinary =
    textAt(seLinux, 'user') === undefined &&
    textAt(seLinux, 'role') === undefined &&
    SELINUX_TYPES.includes(textAt(seLinux, 'type'))
  if (!isOrdinary) {
    demand(draft, 'seLinux', `${at}.seLinuxOptions`)
  }
  if (!CONFINED.includes(textAt(security, 'seccompProfile', 'type'))) {
    demand(draft, 'seccomp', `${at}.seccompProfile.type "Unconfined"`)
  }
  if (!CONFINED.includes(textAt(security, 'appArmorProfile', 'type'))) {
    demand(draft, 'appArmor', `${at}.appArmorProfile.type "Unconfined"`)
  }
  const windows = recordAt(security, 'windowsOptions') ?? {}
  if (windows['hostProcess'] === true) {
    demand(draft, 'hostProcess', `${at}.windowsOptions.hostProcess`)
  }
}
