import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import type { PlaneApi } from '../../../src/control-plane/api/plane-api.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

/** Puts ConfigMaps into planes and looks for them, to see whether data outlives what a test does. */
export function configMapsIn(open: (plane: Plane) => Promise<PlaneApi>) {
  return {
    putConfigMap: async (plane: Plane, name: string): Promise<void> => {
      await using api = await open(plane)
      const metadata = { name, namespace: 'default' }
      await api.apply(`${CONFIG_MAPS}/${name}`, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
    },
    hasConfigMap: async (plane: Plane, name: string): Promise<boolean> => {
      await using api = await open(plane)
      return (await api.get(`${CONFIG_MAPS}/${name}`)) !== undefined
    },
  }
}
