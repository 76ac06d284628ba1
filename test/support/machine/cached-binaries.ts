import { chmodSync } from 'node:fs'
import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../../../src/control-plane/spec/kubernetes-version.ts'
import { KINE_VERSION } from '../../../src/control-plane/store/kine-version.ts'
import {
  BINARY_NAMES,
  type BinaryName,
  projectOf,
} from '../../../src/drivers/local/binaries/cache/binary.ts'
import { formatPlatform, platformOf } from '../../../src/drivers/local/binaries/cache/platform.ts'
import type { TemporaryHome } from '../../cli/temporary-home.ts'

const VERSIONS = {
  kubernetes: DEFAULT_KUBERNETES_VERSION,
  etcd: etcdVersionOf(parseKubernetesVersion(DEFAULT_KUBERNETES_VERSION)),
  kine: KINE_VERSION,
}

/** Fills the cache of a home with programs of the default version that only fail. */
export function cacheBinaries(
  home: Pick<TemporaryHome, 'write'>,
  names: readonly BinaryName[] = BINARY_NAMES,
): void {
  for (const name of names) {
    const project = projectOf(name)
    const folder = `cache/bin/${project}/${VERSIONS[project]}/${formatPlatform(platformOf())}`
    chmodSync(home.write(`${folder}/${name}`, '#!/bin/sh\nexit 1\n'), 0o755)
  }
}
