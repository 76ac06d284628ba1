import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiServerArguments } from '../../../src/control-plane/components/arguments/api-server-arguments.ts'
import { controllerManagerArguments } from '../../../src/control-plane/components/arguments/controller-manager-arguments.ts'
import { describeComponents } from '../../../src/control-plane/components/describe-components.ts'
import { knownKubernetesVersions } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { layoutOf } from '../../support/driver/layouts.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const MINORS = knownKubernetesVersions().map((version) => version.split('.', 2).join('.'))

const apiServer = (user: UserSpec = {}, profile: 'nodeless' | 'full' = 'nodeless') =>
  apiServerArguments(resolveSpec(user), layoutOf(profile))

const controllerManager = (
  user: UserSpec = {},
  profile: 'nodeless' | 'synced' | 'full' = 'nodeless',
) => controllerManagerArguments(resolveSpec(user), layoutOf(profile))

/** The value of a flag among arguments; undefined when it is not there. */
function valueOf(args: readonly string[], flag: string): string | undefined {
  return args.find((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3)
}

/** Names that a binary of a minor knows, from its `--help`. */
function known(file: string): string[] {
  return readFileSync(new URL(`../fixtures/${file}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
}

test.for(
  MINORS.flatMap((minor) =>
    (['nodeless', 'full'] as const).flatMap((profile) =>
      (['all', 'lean'] as const).map((apiGroups) => ({ minor, profile, apiGroups })),
    ),
  ),
)('uses only flags that $minor knows: $profile, $apiGroups', ({ apiGroups, minor, profile }) => {
  const spec = resolveSpec({ version: minor, apiGroups, featureGates: { AllBeta: true } })
  const components = describeComponents(spec, layoutOf(profile))

  for (const { args, name } of components.filter((component) => component.name !== 'etcd')) {
    const flags = args.map((arg) => arg.slice(2, arg.indexOf('=')))
    expect(known(`${name}-${minor}-flags`)).toEqual(expect.arrayContaining(flags))
  }
})

test('authenticates at a shared etcd, and leaves its compaction to the keeper', () => {
  const layout = layoutOf('nodeless')
  const sharedEtcd = { caFile: '/ca', certificateFile: '/a.crt', keyFile: '/a.key', prefix: '/p' }
  const args = apiServerArguments(resolveSpec({}), {
    ...layout,
    apiServer: { ...layout.apiServer, sharedEtcd },
  })

  expect(args).toEqual(
    expect.arrayContaining([
      '--etcd-cafile=/ca',
      '--etcd-certfile=/a.crt',
      '--etcd-keyfile=/a.key',
      '--etcd-prefix=/p',
      '--etcd-compaction-interval=0',
    ]),
  )
  expect(apiServer().join()).not.toContain('etcd-compaction-interval')
})

test.for(
  MINORS.flatMap((minor) =>
    (['nodeless', 'synced', 'full'] as const).map((profile) => [minor, profile] as const),
  ),
)('names only controllers that %s has: %s', ([minor, profile]) => {
  const controllers = valueOf(controllerManager({ version: minor }, profile), 'controllers') ?? ''
  const names = controllers.split(',').map((name) => name.replace(/^-/, ''))

  expect(names.length).toBeGreaterThan(1)
  expect(['*', ...known(`controllers-${minor}`)]).toEqual(expect.arrayContaining(names))
})

test('runs no controller of nodes or workloads in a plane without nodes', () => {
  const controllers = valueOf(controllerManager(), 'controllers')

  expect(controllers).not.toContain('*')
  expect(controllers).not.toMatch(/node|deployment|replicaset|job|binder|attach|taint|endpoint/)
  expect(controllers).toMatch(/root-ca-certificate-publisher-controller/)
  expect(controllers).toMatch(/serviceaccount-token-controller/)
})

test('runs the controllers that let protected objects go, where they can work', () => {
  const controllersOf = (user: UserSpec) => valueOf(controllerManager(user), 'controllers')

  expect(controllersOf({})).toMatch(/persistentvolume-protection.*persistentvolumeclaim-protection/)
  expect(controllersOf({})).toContain('volumeattributesclass-protection-controller')
  expect(controllersOf({ apiGroups: 'lean' })).not.toContain('volumeattributesclass')
  const featureGates = { GenericWorkload: true }
  expect(controllersOf({ featureGates })).toContain('podgroup-protection-controller')
  expect(controllersOf({ featureGates, version: '1.35' })).not.toContain('podgroup')
})

test('runs all controllers, and those of bootstrap tokens, in a cluster with nodes', () => {
  expect(valueOf(controllerManager({}, 'full'), 'controllers')).toBe(
    '*,bootstrap-signer-controller,token-cleaner-controller',
  )
})

test('signs certificate requests with a CA of its own that kube-apiserver trusts', () => {
  expect(valueOf(controllerManager(), 'cluster-signing-key-file')).toBe('/plane/pki/signing-ca.key')
  expect(valueOf(controllerManager(), 'root-ca-file')).toBe('/plane/pki/ca.crt')
  expect(valueOf(apiServer(), 'client-ca-file')).toBe('/plane/pki/client-ca.crt')
  expect(controllerManager().join(' ')).not.toContain('/pki/ca.key')
})

test('keeps kube-controller-manager from dying before the API is there', () => {
  const args = controllerManager()

  expect(args.join(' ')).not.toMatch(/--auth(entic|oriz)ation-kubeconfig/)
  expect(valueOf(args, 'authorization-always-allow-paths')).toContain('/metrics')
})

test('authenticates by one configuration file, without nodes', () => {
  const args = apiServer()

  expect(valueOf(args, 'authentication-config')).toBe('/plane/configuration/authentication.json')
  expect(valueOf(args, 'authorization-mode')).toBe('RBAC')
  expect(args.join(' ')).not.toMatch(/--anonymous-auth|--oidc-|kubelet|--insecure|token-auth-file/)
})

test('speaks with kubelets in a cluster with nodes', () => {
  const args = apiServer({}, 'full')

  expect(valueOf(args, 'authorization-mode')).toBe('Node,RBAC')
  expect(valueOf(args, 'kubelet-preferred-address-types')).toBe('InternalIP')
  expect(valueOf(args, 'enable-admission-plugins')).toBe('NodeRestriction')
  expect(valueOf(args, 'endpoint-reconciler-type')).toBe('lease')
})

test('binds to loopback and announces nothing else, when the layout says so', () => {
  const args = apiServer()

  expect(valueOf(args, 'bind-address')).toBe('127.0.0.1')
  expect(valueOf(args, 'advertise-address')).toBe('127.0.0.1')
  expect(valueOf(args, 'endpoint-reconciler-type')).toBe('none')
  expect(valueOf(controllerManager(), 'bind-address')).toBe('127.0.0.1')
})

test('serves all API groups unless it is lean, and never switches off what CRDs need', () => {
  const lean = valueOf(apiServer({ apiGroups: 'lean' }), 'runtime-config')

  expect(valueOf(apiServer(), 'runtime-config')).toBeUndefined()
  expect(lean).toContain('apps/v1=false')
  expect(lean).not.toMatch(/apiextensions|apiregistration|coordination|discovery|rbac|admission/)
  expect(valueOf(apiServer({ apiGroups: 'lean' }, 'full'), 'runtime-config')).toBeUndefined()
})

test("leaves a lean plane its user's own API versions and admission plugins", () => {
  const own = { 'runtime-config': 'apps/v1=true', 'disable-admission-plugins': 'LimitRanger' }
  const args = apiServer({ apiGroups: 'lean', apiServer: { extraArgs: own } })

  expect(valueOf(args, 'runtime-config')).toMatch(/^apps\/v1=false,.*,apps\/v1=true$/)
  expect(valueOf(args, 'disable-admission-plugins')).toMatch(/,LimitRanger$/)
})

test('keeps kube-controller-manager of a lean plane from looking for what is not served', () => {
  const lean = { apiGroups: 'lean' } as const

  expect(valueOf(controllerManager(lean), 'feature-gates')).toBe('DRAExtendedResource=false')
  expect(valueOf(apiServer(lean), 'feature-gates')).toBeUndefined()
  const featureGates = { AllBeta: true, DRAExtendedResource: true }
  expect(valueOf(controllerManager({ ...lean, featureGates }), 'feature-gates')).toBe(
    'DRAExtendedResource=true,AllBeta=true',
  )
  expect(valueOf(controllerManager(lean, 'full'), 'feature-gates')).toBeUndefined()
})

test('serves device classes in a lean plane of a version that always looks for them', () => {
  const lean = { apiGroups: 'lean', version: '1.37' } as const

  expect(valueOf(controllerManager(lean), 'feature-gates')).toBeUndefined()
  expect(valueOf(apiServer(lean), 'runtime-config')).not.toContain('resource.k8s.io')
  expect(valueOf(apiServer({ ...lean, version: '1.36' }), 'runtime-config')).toContain(
    'resource.k8s.io/v1=false',
  )
})

test('passes feature gates to both, in the order they were said', () => {
  const user = { featureGates: { Beta: true, Alpha: false } }

  expect(valueOf(apiServer(user), 'feature-gates')).toBe('Beta=true,Alpha=false')
  expect(valueOf(controllerManager(user), 'feature-gates')).toBe('Beta=true,Alpha=false')
  expect(valueOf(apiServer(), 'feature-gates')).toBeUndefined()
})

test('takes the issuer of ServiceAccount tokens from the domain of the plane', () => {
  const issuerOf = (user: UserSpec) => valueOf(apiServer(user), 'service-account-issuer')

  expect(issuerOf({})).toBe('https://kubernetes.default.svc.cluster.local')
  expect(issuerOf({ clusterDomain: 'test' })).toBe('https://kubernetes.default.svc.test')
})

test.for([
  ['anonymous-auth', 'authentication'],
  ['oidc-issuer-url', 'authentication.jwt'],
  ['authentication-config', 'authentication.jwt'],
  ['authorization-config', 'planes authorize with RBAC'],
  ['authorization-mode', 'planes authorize with RBAC'],
  ['feature-gates', 'featureGates'],
  ['service-cluster-ip-range', 'serviceRange'],
  ['service-account-issuer', 'serviceAccountIssuer'],
  ['etcd-prefix', 'etcd.prefix'],
  ['tls-cert-file', 'extraSans'],
] as const)('says what to use instead of --%s', ([flag, field]) => {
  const error = thrownBy(() => apiServer({ apiServer: { extraArgs: { [flag]: 'x' } } }))

  expect(error.message).toContain(`"--${flag}"`)
  expect(error.hints).toHaveLength(1)
  expect(error.hints[0]).toContain(field)
})

const MANAGED =
  'authentication-kubeconfig authorization-kubeconfig master feature-gates kubeconfig root-ca-file'

test.for(MANAGED.split(' '))('does not let users set --%s of kube-controller-manager', (flag) => {
  const user = { controllerManager: { extraArgs: { [flag]: 'x' } } }

  const error = thrownBy(() => controllerManager(user))

  expect(error.message).toContain(`controllerManager.extraArgs may not set "--${flag}"`)
})

test('lets users change every default', () => {
  const own = { 'allow-privileged': 'false', 'enable-aggregator-routing': [], profiling: 'true' }
  const args = apiServer({ apiServer: { extraArgs: own } })

  expect(valueOf(args, 'allow-privileged')).toBe('false')
  expect(valueOf(args, 'profiling')).toBe('true')
  expect(valueOf(args, 'enable-aggregator-routing')).toBeUndefined()
})

test('reaches Services by their cluster IPs and external names where pods run on the host, whatever the user says', () => {
  const layout = { ...layoutOf('nodeless'), profile: 'synced' } as const
  const args = (user: UserSpec = {}) => apiServerArguments(resolveSpec(user), layout)
  const flag = 'enable-aggregator-routing'

  expect(valueOf(args(), flag)).toBe('false')
  expect(thrownBy(() => args({ apiServer: { extraArgs: { [flag]: 'true' } } })).message).toContain(
    `apiServer.extraArgs may not set "--${flag}"`,
  )
})

test('writes what an audit policy says to the log, unless the user has another place', () => {
  const audit = { policy: { rules: [] } }
  const elsewhere = { apiServer: { extraArgs: { 'audit-log-path': '/tmp/audit.log' } } }

  expect(valueOf(apiServer(), 'audit-log-path')).toBeUndefined()
  expect(valueOf(apiServer({ audit }), 'audit-log-path')).toBe('-')
  expect(valueOf(apiServer({ audit, ...elsewhere }), 'audit-log-path')).toBe('/tmp/audit.log')
  expect(valueOf(apiServer({ audit }), 'audit-policy-file')).toBe(
    '/plane/configuration/audit-policy.json',
  )
})

test('names the issuer and the prefix that the spec says', () => {
  const spec = { serviceAccountIssuer: 'https://id.example/dev', etcd: { prefix: '/dev' } }

  expect(valueOf(apiServer(), 'etcd-prefix')).toBeUndefined()
  expect(valueOf(apiServer(spec), 'service-account-issuer')).toBe('https://id.example/dev')
  expect(valueOf(apiServer(spec), 'etcd-prefix')).toBe('/dev')
})

test('encrypts Secrets when the spec says so', () => {
  const flag = 'encryption-provider-config'

  expect(valueOf(apiServer(), flag)).toBeUndefined()
  expect(valueOf(apiServer({ encryption: { secrets: false } }), flag)).toBeUndefined()
  expect(valueOf(apiServer({ encryption: { secrets: true } }), flag)).toBe(
    '/plane/pki/encryption.json',
  )
})

test.for([
  [{ audit: { policy: {} } }, 'audit-policy-file', 'audit.policy'],
  [{ encryption: { secrets: true } }, 'encryption-provider-config', 'encryption.secrets'],
] as const)('refuses the flag that %j manages, and names the field', ([user, flag, field]) => {
  const extraArgs = { [flag]: '/file' }

  const error = thrownBy(() => apiServer({ ...user, apiServer: { extraArgs } }))

  expect(error.hints).toEqual([expect.stringContaining(field)])
  expect(valueOf(apiServer({ apiServer: { extraArgs } }), flag)).toBe('/file')
})

test('continues to serve before it stops as long as the layout says', () => {
  const layout = layoutOf('nodeless')
  const slow = { ...layout, apiServer: { ...layout.apiServer, shutdownDelaySeconds: 15 } }

  expect(valueOf(apiServer(), 'shutdown-delay-duration')).toBeUndefined()
  expect(valueOf(apiServerArguments(resolveSpec({}), slow), 'shutdown-delay-duration')).toBe('15s')
})
