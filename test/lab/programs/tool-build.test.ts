import { expect, test } from 'vitest'
import { toolBuild, TOOLS } from './tool-build.ts'

const PLACE = { platform: { os: 'linux', arch: 'amd64' }, programs: '/lab/bin' } as const
const KUBERNETES = `module k8s.io/kubernetes

require (
	golang.org/x/net v0.49.0
	golang.org/x/term v0.39.0
	k8s.io/api v0.0.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
)
`
const TOOL = `module example.com/tool

require (
	example.com/other v1.0.0
	golang.org/x/net v0.60.0
	golang.org/x/term v0.39.0
	k8s.io/api v0.37.0
)
`

test.for(['helm', 'kwok', 'metrics-server'] as const)('builds %s under its own version', (name) => {
  const { module, version } = TOOLS[name]

  const build = toolBuild(name, { kubernetesVersion: '1.36.3', goMod: TOOL }, PLACE)

  expect(build).toMatchObject({
    module: 'k8s.io/kubernetes',
    version: '1.36.3',
    title: `${name} ${version}`,
    folder: `/lab/bin/${name}/${version}/linux-amd64`,
    packages: { [name]: `${module}/cmd/${name}` },
  })
  expect(build.goMod(KUBERNETES)).toContain(`\nrequire ${module} v${version}\n`)
})

test('builds Cluster API from its module of controllers, with the published module of its API', () => {
  const goMod = `${TOOL}\nreplace sigs.k8s.io/cluster-api/api => ./api\n`

  const build = toolBuild('cluster-api', { kubernetesVersion: '1.36.3', goMod }, PLACE)

  const { module, version } = TOOLS['cluster-api']
  expect(build.packages).toEqual({ 'cluster-api': `${module}/core` })
  expect(build.goMod(KUBERNETES)).toContain(`replace ${module}/api => ${module}/api v${version}\n`)
})

test('takes the modules that Kubernetes has in its versions, so that they are compiled once', () => {
  const { goMod } = toolBuild('helm', { kubernetesVersion: '1.36.3', goMod: TOOL }, PLACE)

  expect(goMod(KUBERNETES).match(/^exclude .*$/gm)).toEqual([
    'exclude golang.org/x/net v0.60.0',
    'exclude k8s.io/api v0.37.0',
  ])
})
