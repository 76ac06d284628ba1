import { expect, test } from 'vitest'
import {
  outputNameOf,
  releaseBuild,
} from '../../../../../src/drivers/local/binaries/build/go-build.ts'
import { BINARY_NAMES } from '../../../../../src/drivers/local/binaries/cache/binary.ts'
import { ETCD, KUBERNETES } from '../context.ts'

const PUBLISHED = `// This is a generated file.
module k8s.io/kubernetes

go 1.26.0

godebug default=go1.26

require (
	github.com/blang/semver/v4 v4.0.0
	k8s.io/api v0.0.0
	k8s.io/cri-client v0.0.0 // indirect
	k8s.io/kube-openapi v0.0.0-20260317180543-43fb72c5454a
	sigs.k8s.io/yaml v1.6.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/cri-client => ./staging/src/k8s.io/cri-client
)
`

test('replaces the staging folders of Kubernetes with their published modules', () => {
  expect(releaseBuild(KUBERNETES, [], '').goMod(PUBLISHED)).toBe(`// This is a generated file.
module vplane.dev/build

go 1.26.0

godebug default=go1.26

require (
	github.com/blang/semver/v4 v4.0.0
	k8s.io/api v0.36.3
	k8s.io/cri-client v0.36.3 // indirect
	k8s.io/kube-openapi v0.0.0-20260317180543-43fb72c5454a
	sigs.k8s.io/yaml v1.6.0
)

replace (
	k8s.io/api => k8s.io/api v0.36.3
	k8s.io/cri-client => k8s.io/cri-client v0.36.3
)

require k8s.io/kubernetes v1.36.3
`)
})

test('requires both modules of etcd', () => {
  const { goMod } = releaseBuild(ETCD, [], '')

  expect(goMod('module go.etcd.io/etcd/server/v3')).toBe(`module vplane.dev/build

go 1.24

require go.etcd.io/etcd/server/v3 v3.6.16
require go.etcd.io/etcd/etcdutl/v3 v3.6.16
`)
})

test('builds kine from its module, with the version that it reports', () => {
  const { goMod, linkerFlags } = releaseBuild(
    { ...ETCD, project: 'kine', version: '0.17.2' },
    [],
    '',
  )

  expect(goMod('module github.com/k3s-io/kine')).toBe(`module vplane.dev/build

go 1.26

require github.com/k3s-io/kine v0.17.2
require github.com/t4db/t4 v1.1.14
`)
  expect(linkerFlags.split(' -X ')).toEqual([
    '-s -w',
    'github.com/k3s-io/kine/pkg/version.Version=v0.17.2',
    'github.com/k3s-io/kine/pkg/version.GitCommit=',
  ])
})

test('sets the version of the binaries of Kubernetes, and nothing that differs between builds', () => {
  const flags = releaseBuild(KUBERNETES, [], '').linkerFlags.split(' -X ')

  expect(flags).toEqual([
    '-s -w',
    'k8s.io/component-base/version.gitVersion=v1.36.3',
    'k8s.io/component-base/version.gitMajor=1',
    'k8s.io/component-base/version.gitMinor=36',
    'k8s.io/component-base/version.gitTreeState=clean',
    'k8s.io/component-base/version.gitCommit=',
    'k8s.io/component-base/version.buildDate=1970-01-01T00:00:00Z',
    'k8s.io/client-go/pkg/version.gitVersion=v1.36.3',
    'k8s.io/client-go/pkg/version.gitMajor=1',
    'k8s.io/client-go/pkg/version.gitMinor=36',
    'k8s.io/client-go/pkg/version.gitTreeState=clean',
    'k8s.io/client-go/pkg/version.gitCommit=',
    'k8s.io/client-go/pkg/version.buildDate=1970-01-01T00:00:00Z',
  ])
})

test('knows the name that Go gives the binary of each package', () => {
  const { packages } = releaseBuild(KUBERNETES, BINARY_NAMES, '')

  expect(Object.values(packages).map((path) => [path, outputNameOf(path)])).toEqual([
    ['go.etcd.io/etcd/server/v3', 'server'],
    ['go.etcd.io/etcd/etcdutl/v3', 'etcdutl'],
    ['k8s.io/kubernetes/cmd/kube-apiserver', 'kube-apiserver'],
    ['k8s.io/kubernetes/cmd/kube-controller-manager', 'kube-controller-manager'],
    ['k8s.io/kubernetes/cmd/kubectl', 'kubectl'],
    ['github.com/k3s-io/kine', 'kine'],
  ])
  expect(outputNameOf('k8s.io/kubernetes/test/e2e', true)).toBe('e2e.test')
})
