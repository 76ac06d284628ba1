import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  knownKubernetesVersions,
  minorOf,
} from '../../../src/control-plane/spec/kubernetes-version.ts'
import { LOST_VERSIONS } from '../../../src/control-plane/spec/lost-versions.ts'
import { goModuleFolder } from '../../support/programs/go-module.ts'

/** Kinds that are answers alone, or that no API has: nothing of them is stored. */
const NOT_STORED = ['APIGroupDiscovery', 'PodStatusResult']

/** `scheduling.k8s.io/v1alpha1 Workload`, in a minor that serves and reads it. */
interface Kinds {
  known: Set<string>
  served: Set<string>
}

const [oldest = '', ...later] = knownKubernetesVersions().toReversed()

test.for(later.map((version, index) => [[oldest, ...later][index] ?? '', version] as const))(
  'the table has all that is lost from Kubernetes %s to %s',
  async ([from, to]) => {
    const [before, after] = [await kindsOf(from), await kindsOf(to)]

    const lost = [...before.known].filter(
      (kind) => !after.known.has(kind) || (before.served.has(kind) && !after.served.has(kind)),
    )
    const stored = lost.filter((kind) => !NOT_STORED.some((name) => kind.endsWith(` ${name}`)))

    expect(stored.map((kind) => rowOf(kind, before)).toSorted()).toEqual(
      (LOST_VERSIONS[minorOf(to)] ?? [])
        .map(({ apiVersion, hasOther, resource }) => `${apiVersion} ${resource} ${hasOther}`)
        .toSorted(),
    )
  },
)

/** What the module `k8s.io/api` of a release registers, and what of that is not to be served any more. */
async function kindsOf(version: string): Promise<Kinds> {
  const [, minor, patch] = version.split('.')
  const folder = await goModuleFolder(`k8s.io/api@v0.${minor}.${patch}`)
  const kinds: Kinds = { known: new Set(), served: new Set() }
  for (const file of globSync('*/*/register.go', { cwd: folder })) {
    const source = readFileSync(join(folder, file), 'utf8')
    const [, group] = /const GroupName = "([^"]*)"/.exec(source) ?? []
    const [, of] = /Version: "([^"]+)"/.exec(source) ?? []
    const ends = removedReleases(join(folder, file, '..'))
    for (const [, kind = ''] of source.matchAll(/&(\w+)\{\}/g)) {
      if (!kind.endsWith('List')) {
        const name = `${group}/${of} ${kind}`
        kinds.known.add(name)
        if ((ends.get(kind) ?? Infinity) > minorOf(version)) {
          kinds.served.add(name)
        }
      }
    }
  }
  return kinds
}

/** The minor from which on each kind of a group version is not served. */
function removedReleases(folder: string): Map<string, number> {
  const [file] = globSync('zz_generated.prerelease-lifecycle.go', { cwd: folder })
  const source = file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
  const removed = /\*(\w+)\) APILifecycleRemoved\(\) \(major, minor int\) \{\s*return 1, (\d+)/g
  return new Map([...source.matchAll(removed)].map(([, kind = '', minor]) => [kind, Number(minor)]))
}

function rowOf(kind: string, { served }: Kinds): string {
  const [apiVersion = '', name = ''] = kind.split(' ')
  const [group] = apiVersion.split('/')
  const isOther = (other: string) =>
    other !== kind && other.startsWith(`${group}/`) && other.endsWith(` ${name}`)
  const plural = name.toLowerCase().replace(/s?$/, (end) => (end === '' ? 's' : 'ses'))
  return `${apiVersion} ${plural} ${[...served].some(isOther)}`
}
