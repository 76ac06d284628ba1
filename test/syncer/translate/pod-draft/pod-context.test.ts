import { expect, test } from 'vitest'
import type { PodPermission } from '../../../../src/syncer/translate/pod-draft/pod-context.ts'
import { allowing, podWith, podWithContainer, refusalsOf } from '../pods/some-pods.ts'

const security = (securityContext: object) => podWithContainer({ securityContext })
const podSecurity = (securityContext: object) => podWith({ securityContext })

test.for<[PodPermission, ReturnType<typeof podWith>]>([
  ['hostNetwork', podWith({ hostNetwork: true })],
  ['hostPID', podWith({ hostPID: true })],
  ['hostIPC', podWith({ hostIPC: true })],
  ['hostPath', podWith({ volumes: [{ name: 'v', hostPath: { path: '/' } }] })],
  ['hostPorts', podWithContainer({ ports: [{ containerPort: 80, hostPort: 80 }] })],
  ['hostPorts', podWith({ initContainers: [{ name: 'i', ports: [{ hostPort: 1 }] }] })],
  ['privileged', security({ privileged: true })],
  ['capabilities', security({ capabilities: { add: ['NET_ADMIN'] } })],
  ['capabilities', security({ capabilities: { add: ['ALL'] } })],
  ['procMount', security({ procMount: 'Unmasked' })],
  ['seccomp', security({ seccompProfile: { type: 'Unconfined' } })],
  ['seccomp', podSecurity({ seccompProfile: { type: 'Unconfined' } })],
  ['appArmor', security({ appArmorProfile: { type: 'Unconfined' } })],
  ['appArmor', podSecurity({ appArmorProfile: { type: 'Unconfined' } })],
  ['seLinux', security({ seLinuxOptions: { type: 'spc_t' } })],
  ['seLinux', podSecurity({ seLinuxOptions: { user: 'system_u' } })],
  ['seLinux', podSecurity({ seLinuxOptions: { role: 'system_r' } })],
  ['sysctls', podSecurity({ sysctls: [{ name: 'kernel.msgmax', value: '1' }] })],
  ['hostProcess', podSecurity({ windowsOptions: { hostProcess: true } })],
  ['hostProcess', security({ windowsOptions: { hostProcess: true } })],
  ['hostProbes', podWithContainer({ livenessProbe: { httpGet: { host: '10.0.0.1', port: 1 } } })],
  ['hostProbes', podWithContainer({ startupProbe: { tcpSocket: { host: 'etcd', port: 1 } } })],
  ['hostProbes', podWithContainer({ lifecycle: { preStop: { httpGet: { host: 'x' } } } })],
])('needs %s for a pod like %j', ([permission, pod]) => {
  expect(refusalsOf(pod)).toEqual([
    expect.stringMatching(
      new RegExp(`^spec\\..* is not allowed.*"sync\\.pods\\.allow: \\[${permission}\\]"`),
    ),
  ])
  expect(refusalsOf(pod, allowing(permission))).toEqual([])
})

test('lets a pod with the node’s network have its ports', () => {
  const pod = podWith({
    hostNetwork: true,
    containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }],
  })

  expect(refusalsOf(pod, allowing('hostNetwork'))).toEqual([])
})

test.for([
  security({ capabilities: { add: ['NET_BIND_SERVICE', 'CHOWN'], drop: ['ALL'] } }),
  security({
    privileged: false,
    procMount: 'Default',
    runAsUser: 0,
    allowPrivilegeEscalation: true,
  }),
  security({ seccompProfile: { type: 'Localhost', localhostProfile: 'x.json' } }),
  podSecurity({ seLinuxOptions: { type: 'container_t', level: 's0:c1' }, sysctls: [] }),
  podSecurity({ sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }], fsGroup: 1 }),
  podSecurity({ windowsOptions: { runAsUserName: 'user' }, supplementalGroups: [1] }),
  podWithContainer({ livenessProbe: { httpGet: { port: 80 } }, ports: [{ hostPort: 0 }] }),
  podWith({ hostUsers: false, hostNetwork: false }),
])('takes what baseline allows: %j', (pod) => {
  expect(refusalsOf(pod)).toEqual([])
})

test('refuses credentials of the host’s Windows domain', () => {
  expect(refusalsOf(podSecurity({ windowsOptions: { gmsaCredentialSpecName: 'x' } }))).toEqual([
    expect.stringContaining('spec.securityContext.windowsOptions.gmsaCredentialSpecName'),
  ])
})
