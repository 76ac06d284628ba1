import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostLab } from './host-lab.ts'

const NAME = 'bare'
/** Of a plane's volume unless its spec says otherwise. */
const SIZE = '2Gi'

/** How long a pod that does nothing takes with a volume like a plane's, until it is ready, in milliseconds. */
export async function startBarePod(host: HostLab, namespace: string): Promise<number> {
  const file = join(host.workspace.folder, 'bare-pod.json')
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [claim(), pod()] }))
  const place = ['-n', namespace]
  const startedAt = performance.now()
  await host.kubectl('apply', ...place, '-f', file)
  await host.kubectl('wait', ...place, `pod/${NAME}`, '--for=condition=Ready', '--timeout=120s')
  const ms = performance.now() - startedAt
  await host.kubectl('delete', ...place, '-f', file, '--wait', '--grace-period=1')
  return ms
}

function claim() {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: NAME },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: SIZE } } },
  }
}

function pod() {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME },
    spec: {
      containers: [
        {
          name: NAME,
          image: 'registry.k8s.io/pause:3.10',
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: NAME } }],
    },
  }
}
