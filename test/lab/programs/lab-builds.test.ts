import { expect, test } from 'vitest'
import { agnhostBuild, corednsBuild, nodeBuild } from './lab-builds.ts'

const PLACE = { platform: { os: 'linux', arch: 'amd64' }, programs: '/lab/bin' } as const
const PUBLISHED = `module k8s.io/kubernetes

require k8s.io/api v0.0.0

replace k8s.io/api => ./staging/src/k8s.io/api
`

test("builds nodes' programs of a version as planes' programs are built", () => {
  const build = nodeBuild('1.35.4', PLACE)

  expect(build).toMatchObject({
    module: 'k8s.io/kubernetes',
    version: '1.35.4',
    folder: '/lab/bin/kubernetes/1.35.4/linux-amd64',
  })
  expect(Object.keys(build.packages)).toEqual(['kube-proxy', 'kube-scheduler', 'kubelet'])
  expect(build.goMod(PUBLISHED)).toContain('=> k8s.io/api v0.35.4')
  expect(build.linkerFlags).toContain('gitVersion=v1.35.4')
})

test('keeps agnhost under its own version, from the source of a Kubernetes version', () => {
  const build = agnhostBuild('1.36.3', PLACE)

  expect(build.folder).toMatch(/^\/lab\/bin\/agnhost\/2\.\d+\.\d+\/linux-amd64$/)
  expect(build.version).toBe('1.36.3')
  expect(build.packages).toEqual({ agnhost: 'k8s.io/kubernetes/test/images/agnhost' })
})

test('requires the module of coredns alone', () => {
  const { goMod, module, packages, version } = corednsBuild(PLACE)

  expect(Object.values(packages)).toEqual([module])
  expect(goMod('module x\n\nreplace a => ../a\n')).toBe(
    `module vplane.dev/build\n\ngo 1.26\n\nrequire ${module} v${version}\n`,
  )
})
