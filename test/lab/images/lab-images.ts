import { kineImageOf } from '../../../src/control-plane/store/kine-image.ts'
import type { Platform } from '../../../src/drivers/local/binaries/cache/platform.ts'
import { ADDON_VERSIONS } from '../programs/lab-builds.ts'
import { TOOLS } from '../programs/tool-build.ts'
import type { ImageContent } from './docker-archive.ts'
import { netBindServiceCapability } from './file-capability.ts'
import type { TarEntry } from './tar.ts'

export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10'
export const COREDNS_IMAGE = `registry.k8s.io/coredns/coredns:v${ADDON_VERSIONS.coredns}`
export const BUSYBOX_IMAGE = 'docker.io/library/busybox:1.36'
export const AGNHOST_IMAGE = `registry.k8s.io/e2e-test-images/agnhost:${ADDON_VERSIONS.agnhost}`

/** Its name as metrics-server's chart has it, and its tag. */
export const METRICS_SERVER_IMAGE = {
  repository: 'registry.k8s.io/metrics-server/metrics-server',
  tag: `v${TOOLS['metrics-server'].version}`,
} as const

/** Names under which shell scripts of tests call busybox. */
const BUSYBOX_PROGRAMS =
  'cat chmod cp date dd env false grep head hostname id kill ln ls mkdir mv nc ps pwd rm sed sh sleep sync tail tar tee test touch true wc'.split(
    ' ',
  )

/** An image made of programs of this machine. */
export interface ImageRecipe {
  name: string
  /** Programs of this machine by their paths in the image. */
  programs: Readonly<Record<string, string>>
  /** Whether the programs carry cap_net_bind_service=+ep, as upstream's do. @default false */
  hasCapability?: boolean
  /** Links by their paths in the image, to where they lead. @default none */
  links?: Readonly<Record<string, string>>
  /** @default none: a pod has to say what it runs */
  entrypoint?: readonly string[]
  /** @default root */
  user?: string
}

/** The images that every cluster has. */
export function addonRecipes(programs: Readonly<Record<string, string>>): ImageRecipe[] {
  const program = (name: string) => programs[name] ?? ''
  return [
    {
      name: PAUSE_IMAGE,
      programs: { 'bin/busybox': program('busybox') },
      entrypoint: ['/bin/busybox', 'sleep', '2147483647'],
      user: '65535:65535',
    },
    {
      name: COREDNS_IMAGE,
      programs: { coredns: program('coredns') },
      hasCapability: true,
      entrypoint: ['/coredns'],
      user: '65532:65532',
    },
    {
      name: BUSYBOX_IMAGE,
      programs: { 'bin/busybox': program('busybox') },
      links: Object.fromEntries(BUSYBOX_PROGRAMS.map((name) => [`bin/${name}`, 'busybox'])),
    },
    { name: AGNHOST_IMAGE, programs: { agnhost: program('agnhost') }, entrypoint: ['/agnhost'] },
  ]
}

/** The image of metrics-server, as upstream's is. */
export function metricsServerRecipe(program: string): ImageRecipe {
  const { repository, tag } = METRICS_SERVER_IMAGE
  return {
    name: `${repository}:${tag}`,
    programs: { 'metrics-server': program },
    entrypoint: ['/metrics-server'],
    user: '65534',
  }
}

/** The image of Cluster API's core controller, as its manifests name it. */
export function clusterApiRecipe(program: string): ImageRecipe {
  return {
    name: 'gcr.io/k8s-staging-cluster-api/cluster-api-controller:main',
    programs: { manager: program },
    user: '65532',
  }
}

/** The images of the components of planes, under upstream's names, with what upstream's programs may do. */
export function planeRecipes(
  { etcdVersion, version }: { version: string; etcdVersion: string },
  programs: Readonly<Record<string, string>>,
): ImageRecipe[] {
  const kubernetes = (name: string) => kubernetesRecipe({ name, version }, programs[name] ?? '')
  return [
    etcdRecipe(etcdVersion, programs),
    kubernetes('kube-apiserver'),
    kubernetes('kube-controller-manager'),
  ]
}

/** The image of a version of etcd. */
export function etcdRecipe(
  version: string,
  programs: Readonly<Record<string, string>>,
): ImageRecipe {
  return {
    name: `registry.k8s.io/etcd:${version}-0`,
    programs: {
      'usr/local/bin/etcd': programs['etcd'] ?? '',
      'usr/local/bin/etcdutl': programs['etcdutl'] ?? '',
    },
  }
}

/** The image of kine, as that of its project. */
export function kineRecipe(program: string): ImageRecipe {
  return { name: kineImageOf({}), programs: { 'bin/kine': program }, user: 'nobody' }
}

/** The image of a plane's own scheduler, which few planes have. */
export function schedulerRecipe(version: string, program: string): ImageRecipe {
  return kubernetesRecipe({ name: 'kube-scheduler', version }, program)
}

function kubernetesRecipe(
  { name, version }: { name: string; version: string },
  program: string,
): ImageRecipe {
  return {
    name: `registry.k8s.io/${name}:v${version}`,
    programs: { [`usr/local/bin/${name}`]: program },
    hasCapability: name === 'kube-apiserver',
  }
}

/** What an image holds: its programs, and the few files that programs expect of any system. */
export function imageContent(
  recipe: ImageRecipe,
  platform: Platform,
  readProgram: (path: string) => Buffer,
): ImageContent {
  const { entrypoint, hasCapability = false, links = {}, name, programs, user } = recipe
  const records = hasCapability
    ? { 'SCHILY.xattr.security.capability': netBindServiceCapability() }
    : {}
  const files = Object.entries(programs).map(([path, source]): TarEntry => ({
    path,
    type: 'file',
    data: readProgram(source),
    records,
  }))
  const image = {
    name,
    ...(entrypoint === undefined ? {} : { entrypoint }),
    ...(user === undefined ? {} : { user }),
  }
  return {
    architecture: platform.arch,
    images: [image],
    entries: [
      ...foldersOf([...Object.keys(programs), ...Object.keys(links), 'etc/passwd', 'etc/group']),
      { path: 'tmp', type: 'folder', mode: 0o1777 },
      { path: 'etc/passwd', type: 'file', mode: 0o644, data: Buffer.from(PASSWD) },
      { path: 'etc/group', type: 'file', mode: 0o644, data: Buffer.from(GROUP) },
      ...files,
      ...Object.entries(links).map(([path, target]): TarEntry => ({
        path,
        type: 'link',
        mode: 0o777,
        target,
      })),
    ],
  }
}

const PASSWD = `root:x:0:0:root:/root:/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin
nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin
`
const GROUP = 'root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n'

/** All folders above these paths, outer ones first. */
function foldersOf(paths: readonly string[]): TarEntry[] {
  const folders = paths.flatMap((path) => {
    const parts = path.split('/').slice(0, -1)
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  })
  return [...new Set(folders)].toSorted().map((path) => ({ path, type: 'folder' }))
}
