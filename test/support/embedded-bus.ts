import {
  openEmbeddedBus,
  type EmbeddedBus,
  type EmbeddedBusOptions,
} from '../../src/bus/embedded/embedded-bus.js';
import { removeTempFolders, tempFolder } from './temp-folder.js';

const opened = new Set<EmbeddedBus>();

/** An embedded bus in a folder of its own, or in `folder`; `closeBuses` takes everything away. */
export function openBus(
  options: Partial<EmbeddedBusOptions> = {},
): EmbeddedBus & { readonly folder: string } {
  const folder = options.folder ?? tempFolder();
  const bus = openEmbeddedBus({ partitions: 2, ...options, folder });
  opened.add(bus);
  return { ...bus, folder };
}

/** For `afterEach`: closes every bus that is still open and removes its folder. */
export async function closeBuses(): Promise<void> {
  for (const bus of opened) await bus.close();
  opened.clear();
  removeTempFolders();
}
