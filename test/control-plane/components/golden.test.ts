import { expect, test } from 'vitest'
import { configurationFiles } from '../../../src/control-plane/components/configuration-files.ts'
import { describeComponents } from '../../../src/control-plane/components/describe-components.ts'
import { knownKubernetesVersions } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { layoutOf } from '../../support/driver/layouts.ts'

// What every process of a plane is started with. After a change that is meant:
// npm run test:unit -- test/control-plane/components/golden.test.ts -u

const VARIANTS: Record<string, UserSpec> = {
  default: {},
  lean: { apiGroups: 'lean' },
  ephemeral: { ephemeral: true },
  extraArgs: {
    featureGates: { AllBeta: true, AllAlpha: false },
    etcd: { extraArgs: { 'snapshot-count': '5000', 'grpc-keepalive-min-time': '1m' }, goGc: 100 },
    apiServer: { extraArgs: { v: '4', profiling: 'true', 'tls-sni-cert-key': ['a,b', 'c,d'] } },
    controllerManager: { extraArgs: { controllers: '*,-ttl-controller', 'kube-api-qps': [] } },
  },
  jwt: {
    clusterDomain: 'plane.test',
    authentication: {
      jwt: [
        {
          issuer: { url: 'https://issuer.example.com', audiences: ['vplane'] },
          claimMappings: { username: { claim: 'email', prefix: '' } },
        },
      ],
    },
  },
}

const cases = knownKubernetesVersions().flatMap((version) =>
  (['nodeless', 'full'] as const).flatMap((profile) =>
    Object.keys(VARIANTS).map((variant) => ({ version, profile, variant })),
  ),
)

test.for(cases)('starts $version $profile $variant as its file says', async (one, { expect }) => {
  const { profile, variant, version } = one
  const minor = version.split('.').slice(0, 2).join('.')
  const spec = resolveSpec({ version, ...VARIANTS[variant] })

  const components = describeComponents(spec, layoutOf(profile))
  const files = Object.entries(configurationFiles(spec, layoutOf(profile)))

  const said = {
    components,
    files: Object.fromEntries(files.map(([name, text]) => [name, JSON.parse(text) as unknown])),
  }
  await expect(`${JSON.stringify(said, null, 2)}\n`).toMatchFileSnapshot(
    `../golden/${minor}-${profile}-${variant}.json`,
  )
})

test('has a golden file for two profiles and five variants of each of four minors', () => {
  expect(cases).toHaveLength(40)
})
