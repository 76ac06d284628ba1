import { expect, test } from 'vitest'
import { dockerArchive } from './docker-archive.ts'
import {
  addonRecipes,
  imageContent,
  type ImageRecipe,
  metricsServerRecipe,
  planeRecipes,
  schedulerRecipe,
} from './lab-images.ts'

const PLATFORM = { os: 'linux', arch: 'amd64' } as const
const VERSIONS = { version: '1.36.3', etcdVersion: '3.6.16' }

test("names the images of planes as upstream does, and gives kube-apiserver upstream's capability", () => {
  const recipes = planeRecipes(VERSIONS, { etcd: '/bin/etcd', 'kube-apiserver': '/bin/server' })

  expect(recipes.map(({ hasCapability = false, name }) => [name, hasCapability])).toEqual([
    ['registry.k8s.io/etcd:3.6.16-0', false],
    ['registry.k8s.io/kube-apiserver:v1.36.3', true],
    ['registry.k8s.io/kube-controller-manager:v1.36.3', false],
  ])
  expect(recipes[1]?.programs).toEqual({ 'usr/local/bin/kube-apiserver': '/bin/server' })
  expect(recipes.every(({ entrypoint }) => entrypoint === undefined)).toBe(true)
})

test("names the image of a plane's own scheduler as upstream does", () => {
  expect(schedulerRecipe('1.36.3', '/bin/scheduler')).toMatchObject({
    name: 'registry.k8s.io/kube-scheduler:v1.36.3',
    programs: { 'usr/local/bin/kube-scheduler': '/bin/scheduler' },
    hasCapability: false,
  })
})

test('gives coredns the capability, too, and nothing else of what every cluster has', () => {
  const recipes = addonRecipes({ coredns: '/bin/coredns' })

  const names = recipes.flatMap(({ hasCapability, name }) => (hasCapability ? [name] : []))
  expect(names).toEqual([expect.stringMatching(/^registry\.k8s\.io\/coredns\/coredns:v/)])
})

test('names the image of metrics-server as its chart does, which wants no root', () => {
  const { entrypoint, name, user } = metricsServerRecipe('/bin/metrics-server')

  expect(name).toMatch(/^registry\.k8s\.io\/metrics-server\/metrics-server:v\d/)
  expect({ entrypoint, user }).toEqual({ entrypoint: ['/metrics-server'], user: '65534' })
})

test('holds its programs, their folders, and what programs expect of any system', () => {
  const content = contentOf({ name: 'x', programs: { 'usr/bin/program': '/source' } })

  expect(content.entries.map(({ path, type }) => `${type} ${path}`)).toEqual([
    'folder etc',
    'folder usr',
    'folder usr/bin',
    'folder tmp',
    'file etc/passwd',
    'file etc/group',
    'file usr/bin/program',
  ])
  expect(content.entries.at(-1)?.data?.toString()).toBe('bytes of /source')
})

test('has links beside a program that has many names', () => {
  const content = contentOf({
    name: 'x',
    programs: { 'bin/busybox': '/busybox' },
    links: { 'bin/sh': 'busybox' },
  })

  expect(content.entries.at(-1)).toMatchObject({ path: 'bin/sh', type: 'link', target: 'busybox' })
})

test('carries the capability as an extended attribute in the layer', () => {
  const program = { programs: { program: '/source' } }
  const bytes = (recipe: ImageRecipe) => Buffer.concat(dockerArchive(contentOf(recipe)))

  const attribute = 'SCHILY.xattr.security.capability=\u0001\u0000\u0000\u0002'
  expect(bytes({ name: 'x', ...program, hasCapability: true }).includes(attribute)).toBe(true)
  expect(bytes({ name: 'x', ...program }).includes('SCHILY')).toBe(false)
})

function contentOf(recipe: ImageRecipe) {
  return imageContent(recipe, PLATFORM, (path) => Buffer.from(`bytes of ${path}`))
}
