import { defineBackground } from 'wxt/utils/define-background';
import { relayFrameTree } from '../../capture/frame-relay.ts';
import { listenMessages } from '../../messaging/listen-messages.ts';
import { browser } from '../../platform/browser.ts';
import { showBadge } from './badge.ts';
import { openDoors } from './doors.ts';
import { makeHandlers } from './handlers.ts';
import { createMenus, menuClicked, savePage } from './menus.ts';
import { outboxAlarm } from './wake.ts';

/**
 * The background is started by an event and stopped at will: listeners are registered at once, everything else is read
 * from the disk, and every start goes on with what the last one left.
 */
export default defineBackground(() => {
  const opened = openDoors();
  listenMessages(makeHandlers(opened));
  relayFrameTree();
  browser.runtime.onInstalled.addListener(({ reason }) => {
    void createMenus();
    if (reason === 'install') void browser.tabs.create({ url: browser.runtime.getURL('/options.html?welcome=1') });
  });
  // Registered so that the browser starts us: what a new session has to do, every start does.
  browser.runtime.onStartup.addListener(() => undefined);
  browser.alarms.onAlarm.addListener((alarm) => {
    if (alarm.name === outboxAlarm) void opened.then(({ outbox }) => outbox.send());
  });
  browser.contextMenus.onClicked.addListener((info, tab) => void menuClicked(opened, info, tab));
  browser.commands.onCommand.addListener((command, tab) => {
    if (command !== 'keep-page' || tab?.id === undefined) return;
    const { id } = tab;
    void opened.then((doors) => savePage(doors, id));
  });
  void opened.then(async (doors) => {
    await doors.keeper.resume();
    await showBadge(doors.outbox);
    await doors.outbox.send(true);
  });
});
