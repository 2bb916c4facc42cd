"""The ledger's sections of the report: control, victory, National Support, purchases, tokens, secrets."""

from __future__ import annotations

from html import escape

from companion.core.ids import SiteId
from companion.core.text import Count, several, unit
from companion.games.sfw.pages.control_words import change_says, condition_says, site_notes
from companion.games.sfw.pages.ledger_view import kind_name, nation_name, points, site_name
from companion.games.sfw.pages.sealed import secret_history, secret_shown
from companion.games.sfw.pages.sealings import sealings, sealings_say
from companion.games.sfw.pages.support import card_detail
from companion.games.sfw.rules.control import holder
from companion.games.sfw.rules.ledger import LedgerTable
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.seal_messages import Secret
from companion.games.sfw.rules.tokens import reserve
from companion.games.sfw.rules.victory import conditions, missing_for
from companion.pages.i18n import N_, _
from companion.pages.labels import side_name
from companion.pages.report_parts import ReportSource, Section, section, table_html
from companion.pages.speak import sentence, speak

__all__ = ["SECTIONS"]


@section("control", N_("Objectives and victory"), 30)
def _control(source: ReportSource) -> str:
    state = source.change.state
    setup, table = state.frozen_setup, tables(state)
    parts = []
    if conditions(state):
        rows = [
            (side_name(setup, item.side), *(speak(told, state) for told in condition_says(state, item)))
            for item in conditions(state)
        ]
        parts.append(table_html((_("Side"), _("Condition"), _("Status")), rows))
    sides = {site: holder(state, site) for site in map(SiteId, table.sites)}
    held = [
        (
            side_name(setup, info.id),
            site_name(state, site),
            nation_name(setup, found.nation) if found.nation else "–",
            ", ".join([*_worth(table, site), *(speak(note, state) for note in site_notes(state, site))]),
        )
        for info in setup.sides
        for site, found in sides.items()
        if found.side == info.id
    ]
    parts.append(f"<h3>{escape(_('Who holds what'))}</h3>")
    parts.append(table_html((_("Side"), _("Objective or Airfield"), _("Nation"), _("Value")), held))
    changes = change_says(state)
    if changes:
        lines = "".join(f"<li>{escape(speak(text, state))}</li>" for text in reversed(changes))
        parts.append(f"<h3>{escape(_('What changed hands'))}</h3><ol>{lines}</ol>")
    missing = missing_for(state)
    if missing is not None:
        parts.append(f'<p class="quiet">{escape(sentence(missing, state))}</p>')
    return "".join(parts)


def _worth(table: LedgerTable, site: SiteId) -> tuple[str, ...]:
    """Return a site's value in victory points, where they count."""
    vp = table.sites[site].vp
    if not table.counts_points:
        return ()
    return (_("VP ?") if vp is None else _("{n} VP").format(n=points(vp)),)


@section("support", N_("National Support"), 34)
def _support(source: ReportSource) -> str:
    if not tables(source.change.state).has_support:
        return ""
    state = source.change.state
    hands = [
        (nation_name(state.frozen_setup, nation), str(hand.tokens), str(hand.cards), str(hand.discarded))
        for nation, hand in state.game["support"].hands.items()
    ]
    parts = [table_html((_("Nation"), _("Tokens"), _("Cards in hand"), _("Discarded")), hands)]
    played = [
        (nation_name(state.frozen_setup, play.nation), play.name, speak(card_detail(play), state))
        for play in state.game["support"].plays
    ]
    if played:
        parts.append(table_html((_("Nation"), _("Card"), _("Details")), played))
    return "".join(parts)


@section("purchases", N_("Purchases"), 36)
def _purchases(source: ReportSource) -> str:
    state = source.change.state
    rows = [
        (
            str(record.stage),
            nation_name(state.frozen_setup, record.nation),
            kind_name(state, record.unit_type),
            speak(several((Count(n, unit(one)) for one, n in record.units.items()), "comma"), state),
            str(record.cost),
            site_name(state, record.where),
        )
        for record in state.game["resupply"].records
    ]
    if not rows:
        return ""
    head = (_("Stage"), _("Nation"), _("Type"), _("Units"), _("Cost"), _("Where"))
    return table_html(head, rows)


@section("tokens", N_("Mines, lines and bridges"), 38)
def _tokens(source: ReportSource) -> str:
    state = source.change.state
    own, setup = state.game["tokens"], state.frozen_setup
    rows = [
        (
            nation_name(setup, token.nation),
            _("mine") if token.face == "mine" else _("line"),
            token.where + (f" → {token.facing}" if token.facing else ""),
        )
        for token in own.tokens
    ]
    rows += [(nation_name(setup, bridge.nation), _("blown bridge"), bridge.name) for bridge in own.bridges]
    if not rows:
        return ""
    left = ", ".join(
        f"{nation_name(setup, info.id)} {reserve(state, info.id).left}" for info in setup.nations
    )
    note = f'<p class="quiet">{escape(_("In reserve: {left}").format(left=left))}</p>'
    return table_html((_("Nation"), _("Piece"), _("Where")), rows) + note


@section("sealed", N_("Sealed secrets"), 39)
def _sealed(source: ReportSource) -> str:
    state = source.change.state
    known = state.game["seals"].secrets
    secrets = known.values()

    def history(secret: Secret) -> str:
        found = sealings(source.entries, source.counts, secret, known)
        times = sealings_say(found, source.now_wall_ms)
        told = (secret_history(state, secret), *(() if times is None else (times,)))
        return "; ".join(speak(one, state) for one in told)

    rows = [
        (
            nation_name(state.frozen_setup, secret.nation),
            secret.label,
            history(secret),
            "; ".join(speak(line, state) for line in secret_shown(state, secret)) or _("still hidden"),
        )
        for secret in sorted(secrets, key=lambda secret: secret.shown is not None)
    ]
    return table_html((_("Nation"), _("Secret"), _("History"), _("Contents")), rows) if rows else ""


SECTIONS: tuple[Section, ...] = (_control, _support, _purchases, _tokens, _sealed)
"""What this adds to the report."""
