import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../support/cli/cli.ts'
import { goModuleFolder } from '../support/programs/go-module.ts'

const GATEWAY_API = 'sigs.k8s.io/gateway-api@v1.4.0'
const CERT_MANAGER = 'github.com/cert-manager/cert-manager@v1.19.1'

const ROUTE = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'shop', namespace: 'default' },
  spec: {
    parentRefs: [{ name: 'front' }],
    rules: [{ matches: [{ path: { value: '/cart' } }], backendRefs: [{ name: 'cart', port: 80 }] }],
  },
}
const CERTIFICATE = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: 'shop', namespace: 'default' },
  spec: { secretName: 'shop-tls', dnsNames: ['shop.example.com'], issuerRef: { name: 'ca' } },
}

describe('a plane with the CRDs of real projects', () => {
  let cli: Cli
  let warnings: string
  const kubectl = (args: readonly string[], input?: string) =>
    cli.run(['connect', 'dev', '--', 'kubectl', ...args], input === undefined ? {} : { input })
  const apply = (object: object) => kubectl(['apply', '-f', '-'], JSON.stringify(object))

  beforeAll(async () => {
    cli = await createCli()
    const gatewayApi = join(await goModuleFolder(GATEWAY_API), 'config/crd/standard')
    const certManager = join(await goModuleFolder(CERT_MANAGER), 'deploy/crds')
    const converted = join(cli.root, 'converted.yaml')
    writeFileSync(converted, JSON.stringify(convertedCrd()))
    const folders = ['--crd', gatewayApi, '--crd', certManager, '--crd', converted]
    const { code, stderr } = await cli.run(['create', 'dev', ...folders])
    expect(code, stderr).toBe(0)
    warnings = stderr
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('serves every kind of them when create returns', async () => {
    const kinds = [
      'gatewayclasses,gateways,httproutes,grpcroutes,referencegrants,backendtlspolicies',
      'certificates,certificaterequests,issuers,clusterissuers,orders,challenges,widgets',
    ]

    const { code, stderr } = await kubectl(['get', '--all-namespaces', kinds.join(',')])

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') })
  })

  test('stores an object of cert-manager', async () => {
    const { stderr, stdout } = await apply(CERTIFICATE)

    expect(stdout, stderr).toBe('certificate.cert-manager.io/shop created\n')
  })

  test('stores an object of the Gateway API with the defaults of its schema', async () => {
    const { stderr, stdout } = await apply(ROUTE)

    expect(stdout, stderr).toBe('httproute.gateway.networking.k8s.io/shop created\n')
    const fields = '{.spec.parentRefs[0].kind} {.spec.rules[0].matches[0].path.type}'
    const stored = await kubectl(['get', 'httproute', 'shop', '-o', `jsonpath=${fields}`])
    expect(stored.stdout).toBe('Gateway PathPrefix')
  })

  test.for([
    ['a rule of the schema', { hostnames: ['not a host name'] }, 'spec.hostnames[0]'],
    [
      'a rule in CEL',
      { rules: [{ filters: [{ type: 'RequestRedirect' }] }] },
      'filter.requestRedirect must be specified',
    ],
  ] as const)('refuses what breaks %s', async ([_what, spec, reason]) => {
    const { code, stderr } = await apply({ ...ROUTE, metadata: { name: 'wrong' }, spec })

    expect(code).toBe(1)
    expect(stderr).toContain(reason)
  })

  test('warns of the one conversion webhook that no pod can back, and says what will fail', () => {
    expect(warnings.split('\n').filter((line) => line.includes('no pod can back'))).toEqual([
      expect.stringContaining(
        'CustomResourceDefinition "widgets.example.com" calls the Service "tools/converter"',
      ),
    ])
    expect(warnings).toContain('requests that convert between its versions will fail')
  })

  test('works with the stored version of kinds that need a conversion for others', async () => {
    const widget = { kind: 'Widget', metadata: { name: 'one', namespace: 'default' } }

    const stored = await apply({ ...widget, apiVersion: 'example.com/v1' })
    const other = await kubectl(['get', 'widgets.v1beta1.example.com', 'one'])

    expect(stored.stdout, stored.stderr).toBe('widget.example.com/one created\n')
    expect(other.code).toBe(1)
    expect(other.stderr).toContain('conversion webhook')
  })
})

function convertedCrd(): object {
  const schema = { openAPIV3Schema: { type: 'object' } }
  const clientConfig = { service: { namespace: 'tools', name: 'converter' } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget' },
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig },
      },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v1beta1', served: true, storage: false, schema },
      ],
    },
  }
}
